import { createServer } from 'node:http'
import { logStartAndEnd } from './journal.ts'

logStartAndEnd('api')
const { PORT, HOST = '127.0.0.1' } = process.env
createServer((_request, response) => response.end('{}')).listen(Number(PORT), HOST)
