// What graphql.ts and redis.ts share: the load, what makes a run fail, and how
// it is told.
import exec from 'k6/execution';
import { SharedArray } from 'k6/data';
import { check } from 'k6';
import { Counter } from 'k6/metrics';

/** What an answer must say: ids in their order, or the values that order it. */
export interface Expected {
  ids?: string[];
  usernames?: string[];
}

/** Answers that were right. */
const good = new Counter('good');
/** Answers that say that they failed. */
const failed = new Counter('failed');

/** "5s:60,1s:30": in 5 s to 60 users, then in 1 s to 30. The default is the plain load. */
function stages(text: string) {
  return text.split(',').map((stage) => {
    const [duration, target] = stage.split(':');
    return { duration, target: Number(target) };
  });
}

// An answer under way when its user leaves is waited for as long as GRACE says.
//
// A threshold on checks says nothing of a run that checks nothing: good makes
// that one fail.
export const options = {
  scenarios: {
    load: {
      executor: 'ramping-vus',
      startVUs: 0,
      stages: stages(__ENV.STAGES || '5s:60,1s:30,1s:10,2s:0'),
      gracefulRampDown: __ENV.GRACE || '30s',
      gracefulStop: __ENV.GRACE || '30s',
    },
  },
  thresholds: { checks: ['rate==1'], good: ['count>0'], failed: ['count==0'] },
  // What is not looked at costs time all the same.
  systemTags: [],
  summaryTrendStats: ['med', 'p(95)', 'max'],
};

/** The requests of the file that REQUESTS names, or the one given. */
export function requests<T>(standard: T): T[] {
  if (!__ENV.REQUESTS) return [standard];
  // An array of T, which SharedArray keeps once for all users.
  return new SharedArray('requests', () => JSON.parse(open(__ENV.REQUESTS))) as unknown as T[];
}

/**
 * Returns what gives the next request: all users together go through the list
 * again and again. A list of one is read once, since SharedArray makes a new
 * object each time.
 */
export function inTurn<T>(list: T[]): () => T {
  const only = list[0];
  return list.length === 1 ? () => only : () => list[exec.scenario.iterationInTest % list.length];
}

/** Counts an answer: whether it failed, and whether it says what it must. */
export function judge(error: boolean, right: boolean) {
  if (error) failed.add(1);
  if (check(right && !error, { 'the right tweets, without errors': (passed) => passed })) good.add(1);
}

export function same(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Writes a line to stdout and, where SUMMARY names a file, the figures as JSON. */
export function handleSummary(data: any) {
  const count = (name: string): number => data.metrics[name]?.values.count ?? 0;
  const time = data.metrics.iteration_duration?.values ?? {};
  const summary = {
    requests: count('iterations'),
    good: count('good'),
    failed: count('failed'),
    seconds: data.state.testRunDurationMs / 1000,
    medianMs: time.med ?? null,
    p95Ms: time['p(95)'] ?? null,
    maxMs: time.max ?? null,
  };
  const out: Record<string, string> = { stdout: JSON.stringify(summary) + '\n' };
  if (__ENV.SUMMARY) out[__ENV.SUMMARY] = JSON.stringify(summary);
  return out;
}
