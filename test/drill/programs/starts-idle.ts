import { spawnProgram } from '../../support/second-processes.ts'

/** Starts a program as a suite does, prints its process id, and never ends by itself. */
const { pid } = spawnProgram('test/drill/programs/idle.ts', { ...process.env, TRILHO_WORKER_PORT: '0' })
process.stdout.write(`${pid}\n`)
setInterval(() => {}, 60_000)
