package sim

// language is how a part of the world writes. A sentence is one of each of
// parts, joined by gap.
type language struct {
	code  string
	share int // in 1/1000 of the tweets
	gap   string
	stop  string // ends a sentence
	parts [][]string
	// tags are hashtags in its own script, the commonest first.
	tags []string
	// names are display names in its own script; without them they are made
	// of syllables.
	names []string
}

// subjectPart is the index of the part that tells the topic.
const subjectPart = 1

// spoken are the languages that authors have. Their shares, with those of
// unspoken, follow a count of an archived sample stream.
var spoken = []language{
	english, japanese, spanish, turkish, portuguese, thai, arabic, korean, indonesian, french,
	tagalog, russian, german, hindi, italian, persian, polish, chinese, hebrew, ukrainian, dutch,
}

// unspoken are the codes that the API gives to texts without a language:
// too short, only links or emoji, only media, only hashtags.
var unspoken = []struct {
	code  string
	share int
}{{"und", 30}, {"zxx", 30}, {"qme", 8}, {"qht", 8}}

var english = language{code: "en", share: 310, gap: " ", stop: ".",
	parts: [][]string{
		{
			"This morning", "Last night", "Apparently", "At long last", "Against all odds", "While nobody looked,", "For the third time,",
			"I swear", "Rumour has it that", "Two streets from here", "Before breakfast", "On the ferry", "Somehow", "Good news:", "Reminder:",
			"Still true:", "In the rain", "At noon", "Without any warning", "In a very small way", "According to the minutes", "As every spring,",
			"Unlike last year,", "Hot take:", "Just now", "For the record,", "By the old pier", "I was told that",
		},
		{
			"the tide clock", "the kelp forest", "a patient gull", "the harbour wall", "our lighthouse keeper", "the ferry bell",
			"the bread oven", "a stubborn rye loaf", "the village miller", "my grandmother's crust", "a tray of burnt buns", "the yeast",
			"the night tram", "a sleeping conductor", "the last platform", "an empty carriage", "the ticket machine", "the signal box",
			"the comet", "a borrowed telescope", "the dark sky club", "the moonrise", "a satellite nobody ordered", "the observatory cat",
			"the compost heap", "one heroic tomato", "the allotment committee", "a lost hedgehog", "the pear orchard", "my neighbour's moss",
			"the chess café", "a loaded die", "the endgame book", "a pawn called Gerald", "the puzzle corner", "our slowest player",
			"the harbour choir", "a second alto", "the pipe organ", "an encore in the rain", "the rehearsal room", "a tuning fork",
			"Quillon Athletic", "the away section", "a goalkeeper in slippers", "the Vantroy derby", "the half-time soup", "the linesman's flag",
			"the drizzle", "a very local fog", "the rain gauge", "the thunder", "an optimistic barometer", "the hail",
			"the floating library", "an overdue paperback", "the reading room", "a bookmark from 1987", "the quiet carriage", "the index",
			"the gravel path", "a squeaky tandem", "the bike kitchen", "a puncture", "the bell on my handlebar", "the long climb",
			"the workshop robot", "an honest compiler", "the gearbox", "a cold solder joint", "the spare battery", "the test suite",
		},
		{
			"surprised everybody in the room", "went home without a word", "made the whole street smile", "turned out to be blue",
			"asked for a second opinion", "refused to be photographed", "won by a narrow margin", "smelled faintly of oranges",
			"came back after eleven years", "was late, as usual", "kept us awake until four", "stopped the traffic", "outlived three mayors",
			"needed only a little oil", "sang louder than the wind", "found a better hiding place", "fixed itself overnight",
			"got a standing ovation", "ended up in the soup", "became a local legend", "disagreed with the forecast", "ran out of paper",
			"learned to whistle", "moved two inches to the left", "was declared a monument", "broke the silence", "lost count at ninety",
			"taught me to wait", "sold out in six minutes", "brought the cousins together", "looked smaller in daylight", "won the raffle",
			"took the scenic route", "apologised to the ducks", "earned a new coat of paint", "outran the bus",
		},
		{
			"and I have no further questions", "so bring a second pair of gloves", "which explains the noise", "and nobody wrote it down",
			"but the kettle is on", "as foretold", "and honestly, fair enough", "so we are staying until Sunday", "to general applause",
			"and that is why we can't have nice things", "with a little help from the neighbours", "before the coffee got cold",
			"and the dog approves", "in front of the whole committee", "so there is hope", "and I would do it again", "for the price of a bun",
			"though the maps disagree", "and here is the proof", "without spilling a drop", "just in time for the fireworks", "at half the speed",
			"and it was beautiful", "so please stop asking", "under a borrowed umbrella", "with one shoe on", "and then it snowed", "once and for all",
		},
	},
}

var japanese = language{code: "ja", share: 180, gap: "", stop: "。",
	parts: [][]string{
		{"今朝、", "昨日の夜、", "気がついたら", "港の近くで", "雨の中、", "三年ぶりに", "ついに", "なぜか", "帰り道で", "正直、", "まさかの", "朝ごはんの前に"},
		{
			"潮時計が", "灯台の猫が", "町のパン窯が", "焦げたメロンパンが", "夜行電車が", "終電の車掌さんが", "彗星が", "屋上の望遠鏡が",
			"うちのトマトが", "迷子のハリネズミが", "将棋カフェが", "八百円のサイコロが", "港の合唱団が", "古いオルガンが", "隣町のサッカー部が", "裏山ダービーが",
			"小雨が", "濃い霧が", "移動図書館が", "返し忘れた文庫本が", "砂利道の自転車が", "坂の上のベルが", "工房のロボットが", "はんだごてが",
		},
		{
			"みんなを驚かせた", "静かに帰っていった", "急に青くなった", "予報とは違った", "今日も遅れた", "ほのかにみかんの香りがした", "伝説になった",
			"朝まで眠らせてくれなかった", "六分で売り切れた", "口笛を覚えた", "二センチだけ動いた", "拍手をもらった",
		},
		{"らしい", "ので、もう寝ます", "、最高すぎる", "けど元気です", "、写真はあとで", "。また明日", "、誰か説明して", "と聞いて飛んできた", "！！", "…ということにしておく", "、ありがとう"},
	},
	tags:  []string{"潮見", "灯台日和", "パン部", "夜行電車", "彗星チャレンジ", "家庭菜園", "将棋カフェ", "合唱の日", "裏山ダービー", "霧の朝", "移動図書館", "自転車通勤", "ロボット工房", "朝ごはん", "ハリネズミー"},
	names: []string{"潮騒", "灯台守", "夜更かし", "麦こがし", "霧の子", "みかん", "終電さん", "星くず", "トマト農園", "はりねずみ", "オルガン", "そよ風"},
}

var korean = language{code: "ko", share: 30, gap: " ", stop: ".",
	parts: [][]string{
		{"오늘 아침", "어젯밤", "드디어", "비 오는 날", "항구 근처에서", "솔직히", "삼 년 만에", "집에 가는 길에"},
		{"물때 시계가", "동네 빵집이", "밤 전차가", "혜성이", "옥상 텃밭이", "장기 카페가", "항구 합창단이", "옆 동네 축구팀이", "이슬비가", "이동 도서관이", "자갈길 자전거가", "공방 로봇이"},
		{"모두를 놀라게 했다", "조용히 돌아갔다", "갑자기 파래졌다", "오늘도 늦었다", "전설이 됐다", "육 분 만에 매진됐다", "휘파람을 배웠다", "예보와 달랐다"},
		{"ㅋㅋㅋ", "정말 최고", "그래서 이제 잔다", "사진은 나중에", "다들 고마워", "누가 설명 좀", "내일 또 보자", "ㅠㅠ"},
	},
	tags:  []string{"등대마을", "빵집투어", "밤전차", "혜성보기", "옥상텃밭", "항구합창단", "이슬비", "이동도서관", "자갈길", "로봇공방"},
	names: []string{"등대지기", "보리빵", "밤전차", "별가루", "안개", "귤나무", "고슴도치", "파도"},
}

var chinese = language{code: "zh", share: 7, gap: "", stop: "。",
	parts: [][]string{
		{"今天早上，", "昨晚，", "终于，", "下雨的时候，", "在码头旁边，", "说真的，", "回家的路上，"},
		{"潮汐钟", "街角的面包炉", "夜班电车", "彗星", "屋顶菜园", "棋馆", "港口合唱团", "隔壁村球队", "毛毛雨", "流动图书馆", "碎石路上的自行车", "工坊机器人"},
		{"让大家吃了一惊", "悄悄回家了", "忽然变蓝了", "今天又晚了", "成了传说", "六分钟就卖光了", "学会了吹口哨"},
		{"，太好了", "，照片稍后", "，谁来解释一下", "，明天见", "，谢谢邻居", "，茶还热着"},
	},
	tags:  []string{"潮汐日记", "面包炉", "夜班电车", "屋顶菜园", "港口合唱团", "流动图书馆"},
	names: []string{"潮声", "守灯人", "夜班车", "小雨", "刺猬", "橘子"},
}
