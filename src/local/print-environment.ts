import { readLocalConfig } from '../config.ts'
import { homeIn, readJson } from './home.ts'
import type { LocalInfo } from './local-file.ts'

/** Prints what a running `npm start` offers as shell variables: `eval "$(npm run -s local:env)"`. */
const home = homeIn(readLocalConfig().home)
const local = await readJson<LocalInfo>(home.local)
if (local) {
  const variables = {
    API: `${local.api_url}/api/v1`,
    TOKEN: local.token,
    SIMULATOR: local.simulator_url,
    INBOX: local.inbox_url,
    CA: home.simulatorCa,
    RECIPIENT: local.recipient_accounts[0]?.uuid ?? '',
    UI: local.temporal_ui_url,
  }
  for (const [name, value] of Object.entries(variables)) process.stdout.write(`export ${name}='${value}'\n`)
} else {
  process.stderr.write('Trilho does not run here: npm start\n')
  process.exitCode = 1
}
