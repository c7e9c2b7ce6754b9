import { readRunningStart } from './local-environment.ts'

/** Prints what a running `npm start` offers to a shell, as variables and functions: `eval "$(npm run -s local:env)"`. */

/** What a caller and a payer do most. */
const SHELL_FUNCTIONS = `
api() { curl -sS -X "$1" "$API$2" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "\${@:3}"; }
simulator() { curl -sS --cacert "$CA" -X "$1" "$SIMULATOR$2" -H 'Content-Type: application/json' "\${@:3}"; }
field() { node -p "with (JSON.parse(fs.readFileSync(0))) ($1)"; }
`

const local = await readRunningStart()
if (local) {
  const variables = {
    API: `${local.api_url}/api/v1`,
    WORKER: local.worker_url,
    TOKEN: local.token,
    SIMULATOR: local.simulator_url,
    INBOX: local.inbox_url,
    CA: local.simulatorCa,
    RECIPIENT: local.recipient_accounts[0]?.uuid ?? '',
    UI: local.temporal_ui_url,
    ...Object.fromEntries(Object.entries(local.providers).map(([name, { uuid }]) => [name, uuid])),
  }
  for (const [name, value] of Object.entries(variables)) process.stdout.write(`export ${name}='${value}'\n`)
  process.stdout.write(SHELL_FUNCTIONS)
} else {
  process.stderr.write('Trilho does not run here: npm start\n')
  process.exitCode = 1
}
