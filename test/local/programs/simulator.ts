import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { logStartAndEnd } from './journal.ts'

logStartAndEnd('simulator')
const home = process.env.SIMULATOR_HOME ?? '.'
const port = Number(process.env.SIMULATOR_PORT)
mkdirSync(home, { recursive: true })
const info = {
  url: `https://localhost:${port}`,
  inbox_url: `https://localhost:${port}/inbox`,
  ca_file: '',
  providers: {},
}
createServer(() => {}).listen(port, '127.0.0.1', () =>
  writeFileSync(join(home, 'simulator.json'), JSON.stringify(info)),
)
