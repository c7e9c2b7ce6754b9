import { createServer } from 'node:http'
import { keepJournal } from './journal.ts'

keepJournal('api')
createServer((_request, response) => response.end('{}')).listen(Number(process.env.PORT), '127.0.0.1')
