package sim

// Languages in Latin letters other than English.

var spanish = language{code: "es", share: 80, gap: " ", stop: ".",
	parts: [][]string{
		{"Esta mañana", "Anoche", "Por fin", "Bajo la lluvia", "Cerca del muelle", "La verdad:", "Después de tres años", "Sin avisar", "Dicen que", "Otra vez"},
		{"el reloj de mareas", "el horno del barrio", "el tranvía nocturno", "el cometa", "el huerto comunal", "el club de ajedrez", "el coro del puerto", "el Atlético Quillón", "la llovizna", "la biblioteca flotante", "el camino de grava", "el robot del taller"},
		{"sorprendió a todo el mundo", "volvió a casa sin decir nada", "amaneció de color azul", "llegó tarde, como siempre", "se convirtió en leyenda", "se agotó en seis minutos", "aprendió a silbar", "nos tuvo despiertos hasta las cuatro", "pidió una segunda opinión", "ganó la rifa"},
		{"y no tengo más preguntas", "así que hay esperanza", "y el perro está de acuerdo", "gracias a los vecinos", "¡qué bonito!", "antes de que se enfriara el café", "¿alguien lo explica?", "y después nevó"},
	},
	tags: []string{"MareaDeHoy", "HornoDelBarrio", "TranvíaNocturno", "HuertoComunal", "CoroDelPuerto", "MañanaDeNiebla", "Llovizna", "AjedrezLento"},
}

var portuguese = language{code: "pt", share: 50, gap: " ", stop: ".",
	parts: [][]string{
		{"Hoje cedo", "Ontem à noite", "Finalmente", "Na chuva", "Perto do cais", "Sinceramente,", "Depois de três anos", "Dizem que", "De novo"},
		{"o relógio da maré", "o forno da rua", "o bonde noturno", "o cometa", "a horta da praça", "o clube de xadrez", "o coral do porto", "o time da vila", "a garoa", "a biblioteca flutuante", "a trilha de cascalho", "o robô da oficina"},
		{"surpreendeu todo mundo", "voltou para casa calado", "amanheceu azul", "atrasou, como sempre", "virou lenda", "esgotou em seis minutos", "aprendeu a assobiar", "não deixou ninguém dormir", "ganhou a rifa"},
		{"e não tenho mais perguntas", "então há esperança", "e o cachorro aprovou", "graças aos vizinhos", "que coisa linda", "alguém explica?", "antes do café esfriar", "kkkkk"},
	},
	tags: []string{"MaréDoDia", "PãoDaRua", "BondeNoturno", "HortaDaPraça", "CoralDoPorto", "Garoa", "XadrezLento"},
}

var turkish = language{code: "tr", share: 60, gap: " ", stop: ".",
	parts: [][]string{
		{"Bu sabah", "Dün gece", "Nihayet", "Yağmurda", "İskelenin orada", "Açıkçası", "Üç yıl sonra", "Söylentiye göre", "Yine"},
		{"gelgit saati", "mahalle fırını", "gece tramvayı", "kuyruklu yıldız", "ortak bostan", "satranç kahvesi", "liman korosu", "Kıyıspor", "çisenti", "yüzen kütüphane", "çakıl yolu", "atölye robotu"},
		{"herkesi şaşırttı", "sessizce eve döndü", "birden maviye döndü", "her zamanki gibi gecikti", "efsane oldu", "altı dakikada tükendi", "ıslık çalmayı öğrendi", "sabaha kadar uyutmadı", "çekilişi kazandı"},
		{"ve başka sorum yok", "demek ki umut var", "köpek de onayladı", "komşular sağ olsun", "ne güzel", "biri açıklasın", "çay soğumadan", "sonra kar yağdı"},
	},
	tags: []string{"GelgitSaati", "MahalleFırını", "GeceTramvayı", "OrtakBostan", "LimanKorosu", "Çisenti", "ÇakılYolu", "İskele"},
}

var indonesian = language{code: "in", share: 20, gap: " ", stop: ".",
	parts: [][]string{
		{"Tadi pagi", "Semalam", "Akhirnya", "Di tengah hujan", "Dekat dermaga", "Jujur,", "Setelah tiga tahun", "Katanya"},
		{"jam pasang surut", "tungku roti kampung", "trem malam", "komet itu", "kebun bersama", "warung catur", "paduan suara pelabuhan", "tim kampung sebelah", "gerimis", "perpustakaan terapung", "jalan kerikil", "robot bengkel"},
		{"mengejutkan semua orang", "pulang tanpa suara", "mendadak biru", "terlambat seperti biasa", "jadi legenda", "habis dalam enam menit", "belajar bersiul", "menang undian"},
		{"dan tidak ada pertanyaan lagi", "jadi masih ada harapan", "anjing pun setuju", "terima kasih tetangga", "indah sekali", "tolong jelaskan", "wkwkwk"},
	},
	tags: []string{"TremMalam", "RotiKampung", "KebunBersama", "Gerimis", "PerpusTerapung", "JalanKerikil"},
}

var french = language{code: "fr", share: 24, gap: " ", stop: ".",
	parts: [][]string{
		{"Ce matin", "Hier soir", "Enfin,", "Sous la pluie", "Près du quai", "Franchement,", "Après trois ans", "On dit que", "Encore une fois"},
		{"l'horloge des marées", "le four du quartier", "le tram de nuit", "la comète", "le potager commun", "le café des échecs", "la chorale du port", "l'équipe du village", "la bruine", "la bibliothèque flottante", "le chemin de gravier", "le robot de l'atelier"},
		{"a surpris tout le monde", "a bleui d'un coup", "a pris du retard, comme toujours", "a fait rêver la rue", "a tout vendu en six minutes", "a appris à siffler", "a gagné à la tombola", "a réveillé le voisin"},
		{"et je n'ai plus de questions", "donc il y a de l'espoir", "et le chien approuve", "merci aux voisins", "que c'est beau", "quelqu'un peut expliquer ?", "avant que le café refroidisse"},
	},
	tags: []string{"MaréeDuJour", "TramDeNuit", "PotagerCommun", "ChoraleDuPort", "Bruine", "ÉchecsLents"},
}

var tagalog = language{code: "tl", share: 14, gap: " ", stop: ".",
	parts: [][]string{
		{"Kaninang umaga", "Kagabi", "Sa wakas", "Habang umuulan", "Malapit sa pantalan", "Sa totoo lang", "Balita ko"},
		{"ang orasan ng alon", "ang pugon ng baryo", "ang tren sa gabi", "ang kometa", "ang gulayan", "ang tambayan ng ahedres", "ang koro ng pantalan", "ang koponan ng baryo", "ang ambon", "ang lumulutang na aklatan", "ang daang graba", "ang robot sa talyer"},
		{"ay ginulat ang lahat", "ay umuwi nang tahimik", "ay naging asul", "ay nahuli na naman", "ay naging alamat", "ay natutong sumipol", "ay nanalo sa raffle"},
		{"kaya may pag-asa pa", "at payag ang aso", "salamat sa kapitbahay", "ang ganda", "paki-explain nga", "hahaha"},
	},
	tags: []string{"TrenSaGabi", "PugonNgBaryo", "Ambon", "DaangGraba"},
}

var german = language{code: "de", share: 12, gap: " ", stop: ".",
	parts: [][]string{
		{"Heute früh:", "Gestern Nacht:", "Endlich:", "Im Regen:", "Am alten Pier:", "Ehrlich:", "Nach drei Jahren:", "Wie jedes Jahr:"},
		{"Die Gezeitenuhr", "Der Dorfofen", "Die Nachttram", "Der Komet", "Der Gemeinschaftsgarten", "Das Schachcafé", "Der Hafenchor", "Der Dorfverein", "Der Nieselregen", "Die schwimmende Bücherei", "Der Schotterweg", "Der Werkstattroboter"},
		{"hat alle überrascht", "ging wortlos nach Hause", "wurde plötzlich blau", "kam zu spät, wie üblich", "ist jetzt Legende", "war nach sechs Minuten ausverkauft", "lernte pfeifen", "hat die Tombola gewonnen"},
		{"und ich habe keine Fragen mehr", "also gibt es Hoffnung", "und der Hund ist einverstanden", "dank der Nachbarn", "wie schön", "kann das jemand erklären?", "bevor der Kaffee kalt wurde"},
	},
	tags: []string{"Gezeitenuhr", "Nachttram", "Gemüsebeet", "Hafenchor", "Nieselregen", "SchönesWetter"},
}

var italian = language{code: "it", share: 8, gap: " ", stop: ".",
	parts: [][]string{
		{"Stamattina", "Ieri sera", "Finalmente", "Sotto la pioggia", "Vicino al molo", "Sinceramente", "Dopo tre anni"},
		{"l'orologio delle maree", "il forno del quartiere", "il tram notturno", "il fuoco della cometa", "l'orto comune", "il caffè degli scacchi", "il coro del porto", "il club del paese", "il temporale", "il bibliobus", "il sentiero di ghiaia", "il robot dell'officina"},
		{"ha sorpreso tutti", "è tornato a casa in silenzio", "è diventato blu", "ha fatto tardi come sempre", "è diventato leggenda", "ha imparato a fischiare", "ha vinto la lotteria"},
		{"e non ho altre domande", "quindi c'è speranza", "e il cane approva", "grazie ai vicini", "che bello", "qualcuno mi spieghi"},
	},
	tags: []string{"MareaDiOggi", "TramNotturno", "OrtoComune", "CoroDelPorto"},
}

var polish = language{code: "pl", share: 6, gap: " ", stop: ".",
	parts: [][]string{
		{"Dziś rano", "Wczoraj w nocy", "Nareszcie", "W deszczu", "Koło mola", "Szczerze:", "Po trzech latach"},
		{"zegar pływów", "chleb z nowego pieca", "nocny tramwaj", "teleskop na dachu", "wspólny ogród", "klub szachowy", "chór portowy", "klub z podwórka", "deszczomierz", "autobus z książkami", "szlak rowerowy", "domowy robot"},
		{"zaskoczył wszystkich", "wrócił do domu bez słowa", "zrobił się niebieski", "spóźnił się jak zwykle", "stał się legendą", "nauczył się gwizdać", "wygrał loterię"},
		{"i nie mam więcej pytań", "więc jest nadzieja", "a pies się zgadza", "dzięki sąsiadom", "jak ładnie", "niech ktoś wyjaśni"},
	},
	tags: []string{"NocnyTramwaj", "WspólnyOgród", "ChórPortowy", "MżawkaDnia"},
}

var dutch = language{code: "nl", share: 4, gap: " ", stop: ".",
	parts: [][]string{
		{"Vanochtend:", "Gisteravond:", "Eindelijk:", "In de regen:", "Bij de oude pier:", "Eerlijk:", "Na drie jaar:"},
		{"de getijdenklok", "de buurtoven", "de nachttram", "de komeet", "de moestuin", "het schaakcafé", "het havenkoor", "de dorpsclub", "de motregen", "de drijvende bieb", "het grindpad", "de werkplaatsrobot"},
		{"verraste iedereen", "ging stil naar huis", "werd ineens blauw", "was weer te laat", "werd een legende", "leerde fluiten", "won de loterij"},
		{"en ik heb geen vragen meer", "dus er is hoop", "en de hond vindt het goed", "dankzij de buren", "wat mooi", "leg eens uit"},
	},
	tags: []string{"Nachttram", "Moestuin", "Havenkoor", "Motregen"},
}
