import { availableParallelism } from 'node:os'

/** One process of jest: the projects of `jest.config.mjs` that it runs, how many files at a time, and its niceness. */
export type JestRun = { projects: string[]; workers: number; niceness?: number }

/**
 * A suite takes most of a core, with the processes it starts; more than four would only wait for the stack they share.
 * Three on two cores end a minute or two sooner, but then a loaded machine answers some requests too late.
 */
const SHARED_STACK_WORKERS = Math.min(4, Math.max(2, availableParallelism() - 1))

/** The runs of `npm test`: those of a group are concurrent, and the groups follow one another. */
export const JEST_RUNS: JestRun[][] = [
  [
    // Their time is that of the whole group.
    { projects: ['api', 'local', 'workflows'], workers: SHARED_STACK_WORKERS },
    // They mostly wait, each for a stack of its own.
    { projects: ['odd-bank', 'own-stack', 'storm'], workers: 2 },
    // They compute and need no stack: at a lower priority they take what the others leave.
    {
      projects: ['chaos', 'docs', 'http', 'messengers', 'providers', 'simulator', 'webhooks'],
      workers: 2,
      niceness: 5,
    },
  ],
  [
    // Chromium's processes take their share of the machine whatever the niceness of the suite: beside the suites above,
    // requests to the shared stack are answered too late.
    { projects: ['browser', 'pages'], workers: 2 },
  ],
  [
    // They measure durations: each keeps a stack of its own nearly idle, and waits for faults to end.
    { projects: ['timed'], workers: 4 },
    // They start no stack and wait for little: the time that the timed suites leave is enough for them.
    { projects: ['architecture', 'domain', 'drill', 'replay', 'sdk'], workers: 1, niceness: 19 },
  ],
]
