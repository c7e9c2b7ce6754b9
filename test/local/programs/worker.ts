import { logStartAndEnd } from './journal.ts'

logStartAndEnd('worker')
if (process.env.WORKER_IS_BROKEN) throw new Error('The worker is broken.')
setInterval(() => {}, 60_000)
