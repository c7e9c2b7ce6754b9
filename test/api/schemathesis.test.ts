import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createPayoutActions } from './support/payout-actions.ts'
import { installSchemathesis } from './support/schemathesis.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** Every request to the API is answered as /openapi.json says, and never with an internal error. */

let stack: TestStack
let folder: string
beforeAll(async () => {
  stack = await openSharedTestStack()
  folder = await mkdtemp(join(tmpdir(), 'trilho-schemathesis-'))
})
afterAll(async () => {
  await stack.close()
  await rm(folder, { recursive: true })
})

/** For the run itself; the first one on a machine is preceded by an installation. */
const RUN_S = 40
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]

test('no request generated from /openapi.json receives a 5xx, an undocumented status or another shape', async () => {
  const program = await installSchemathesis()
  if (program.kind === 'missing') {
    process.stdout.write(`schemathesis is skipped: ${program.why}\n`)
    return
  }
  const { token, paths } = await aMerchantWithThings()
  const config = join(folder, 'schemathesis.toml')
  await writeFile(config, paths.map(knownPath).join('\n'))
  const { code, output } = await runCommand([
    ...program.command,
    ...['--config-file', config, 'run', `${stack.local.api_url}/openapi.json`],
    ...['--header', `Authorization: Bearer ${token}`, '--checks', CHECKS.join()],
    ...['--max-time', String(RUN_S), '--max-examples', '15', '--seed', '1', '--no-shrink'],
    ...['--rate-limit', '60/s', '--request-timeout', '20', '--suppress-health-check', 'all'],
    ...['--warnings', 'off', '--no-color'],
  ])
  if (code !== 0) throw new Error(output)
  const passed = Number(/(\d+) generated, (\d+) passed/.exec(output)?.[2])
  expect(passed).toBeGreaterThan(50)
}, 360_000)

type Known = { under: string; ids: Record<string, string> }

/** A random path parameter names nothing, so some paths are given an existing resource. */
async function aMerchantWithThings(): Promise<{ token: string; paths: Known[] }> {
  const out = createPayoutActions(stack)
  const merchant = await stack.createMerchant({ providers: [{ balance: 100 }] })
  const charge = await out.createPaidCharge(merchant)
  const { body: refund } = await out.requestRefund(merchant, charge, { value: 1 })
  const { body: transfer } = await out.send(merchant)
  const { body: webhook } = await merchant.api.post('/api/v1/webhooks', {
    url: `${stack.local.inbox_url}/schemathesis`,
  })
  return {
    token: merchant.token,
    paths: [
      { under: 'payments', ids: { uuid: charge.uuid, refund: refund.data.refund.uuid } },
      { under: 'transfers', ids: { uuid: transfer.data.uuid } },
      { under: 'webhooks', ids: { uuid: webhook.data.uuid } },
      { under: 'providers', ids: { uuid: merchant.connection.uuid } },
    ],
  }
}

function knownPath({ under, ids }: Known): string {
  const parameters = Object.entries(ids).map(([name, id]) => `"path.${name}" = "${id}"`)
  return `[[operations]]
include-path-regex = "^/api/v1/${under}/"
parameters = { ${parameters.join(', ')} }
`
}

function runCommand([command = '', ...args]: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => chunks.push(String(chunk)))
    child.once('error', reject)
    child.once('close', code => resolve({ code, output: chunks.join('') }))
  })
}
