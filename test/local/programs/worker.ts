import { createServer } from 'node:http'
import { logStartAndEnd } from './journal.ts'

logStartAndEnd('worker')
if (process.env.WORKER_IS_BROKEN) throw new Error('The worker is broken.')
const { TRILHO_WORKER_PORT, HOST = '127.0.0.1' } = process.env
createServer((_request, response) => response.end('{}')).listen(Number(TRILHO_WORKER_PORT), HOST)
