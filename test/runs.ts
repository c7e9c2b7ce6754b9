import { availableParallelism } from 'node:os'

/** One process of jest: the projects of `jest.config.mjs` that it runs, how many files at a time, and its niceness. */
export type JestRun = { projects: string[]; workers: number; niceness?: number }

/**
 * A suite takes most of a core, with the processes it starts: more at a time only make each slower, until requests are
 * answered too late.
 */
const SHARED_STACK_WORKERS = Math.min(4, Math.max(2, availableParallelism() - 1))

/** The runs of `npm test`: those of a group are concurrent, and the groups follow one another. */
export const JEST_RUNS: JestRun[][] = [
  [
    // Their time is that of the whole group.
    { projects: ['api', 'local', 'workflows'], workers: SHARED_STACK_WORKERS },
    // They often wait, each for a stack of its own.
    { projects: ['odd-bank', 'own-stack', 'storm'], workers: 1 },
  ],
  [
    // They compute. Beside stacks, whose processes each take a fair share of the cores, they would starve: Linux shares
    // by session first (sched(7), autogroup), and all of jest is one session.
    {
      projects: ['chaos', 'docs', 'http', 'messengers', 'providers', 'simulator', 'webhooks'],
      workers: 2,
    },
  ],
  [
    // Chromium's processes take their share of the machine, too.
    { projects: ['browser', 'pages'], workers: 2 },
  ],
  [
    // They measure durations: each keeps a stack of its own nearly idle, and waits for faults to end.
    { projects: ['timed'], workers: 4 },
    // They start no stack and wait for little: the time that the timed suites leave is enough for them.
    { projects: ['architecture', 'domain', 'drill', 'replay', 'sdk'], workers: 1, niceness: 19 },
  ],
]
