import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { runConcurrentTests } from './support/concurrent-tests.ts'
import { createPayoutActions } from './support/payout-actions.ts'
import { installSchemathesis, type Program } from './support/schemathesis.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'

/**
 * Every request to the API is answered as /openapi.json says, and never with an internal error. Most generated requests
 * are refused, so further runs, concurrent with it, create: their hooks make valid requests of the generated ones.
 */

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
const RUN_S = 80
/** Concurrent, because each one sends its requests one after another. */
const CREATING_RUNS = [
  // Some name rules of the payer that contradict each other: those are refused.
  { operation: 'createPayment', examples: 130, seed: 1 },
  { operation: 'createPayment', examples: 130, seed: 2 },
  { operation: 'createTransfer', examples: 110, seed: 1 },
  { operation: 'createAccountTransfer', examples: 110, seed: 1 },
]
const HOOKS_FOLDER = join(import.meta.dirname, 'support')
const CHECKS = [
  'is_answered_in_the_end',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]

runConcurrentTests({
  async 'no request generated from /openapi.json receives a 5xx, an undocumented status or another shape'() {
    const program = await installedProgram()
    if (!program) return
    const { token, paths } = await aMerchantWithThings()
    const config = join(folder, 'schemathesis.toml')
    await writeFile(config, paths.map(knownPath).join('\n'))
    const { code, output } = await runSchemathesis(program, {
      token,
      hooks: 'schemathesis_checks.py',
      config,
      options: ['--max-time', String(RUN_S), '--max-examples', '15', '--seed', '1', '--rate-limit', '60/s'],
    })
    if (code !== 0) throw new Error(output)
    expect(countPassed(output)).toBeGreaterThan(50)
  },

  async 'generated requests that are valid create at least 200 charges and 100 transfers'() {
    const program = await installedProgram()
    if (!program) return
    const merchant = await stack.createMerchant({ providers: [{ balance: 10_000 }] })
    const recipient = await stack.createRecipient(merchant)
    const variables = {
      PROVIDER_UUID: merchant.connection.uuid,
      RECIPIENT_UUID: recipient.uuid,
    }
    const runs = CREATING_RUNS.map(({ operation, examples, seed }) =>
      runSchemathesis(program, {
        token: merchant.token,
        hooks: 'schemathesis_hooks.py',
        options: [
          ...['--include-operation-id', operation, '--phases', 'fuzzing', '--mode', 'positive'],
          ...['--max-examples', String(examples), '--seed', String(seed)],
        ],
        variables,
      }),
    )
    const failed = (await Promise.all(runs)).filter(({ code }) => code !== 0)
    if (failed.length > 0) throw new Error(failed.map(({ output }) => output).join('\n'))
    expect(await countCreated(merchant, 'payments')).toBeGreaterThanOrEqual(200)
    expect(await countCreated(merchant, 'transfers')).toBeGreaterThanOrEqual(100)
  },
})

async function installedProgram(): Promise<Extract<Program, { kind: 'there' }> | undefined> {
  const program = await installSchemathesis()
  if (program.kind === 'there') return program
  process.stdout.write(`schemathesis is skipped: ${program.why}\n`)
  return undefined
}

/** Counts what a POST has created with 201: a FAILED charge or transfer is stored too, and answered as an error. */
async function countCreated({ api }: Merchant, list: 'payments' | 'transfers'): Promise<number> {
  const { body } = await api.get(`/api/v1/${list}?status=PENDING,PROCESSING,PAID,EXPIRED&per_page=1`)
  return body.meta.total
}

const countPassed = (output: string) => Number(/(\d+) generated, (\d+) passed/.exec(output)?.[2])

type Known = { under: string; ids: Record<string, string> }

/** A random path parameter names nothing, so some paths are given an existing resource. */
async function aMerchantWithThings(): Promise<{ token: string; paths: Known[] }> {
  const payouts = createPayoutActions(stack)
  const merchant = await stack.createMerchant({ providers: [{ balance: 100 }] })
  const charge = await payouts.createPaidCharge(merchant)
  const { body: refund } = await payouts.requestRefund(merchant, charge, { value: 1 })
  const { body: transfer } = await payouts.send(merchant)
  const { body: webhook } = await merchant.api.post('/api/v1/webhooks', {
    url: `${stack.local.inbox_url}/schemathesis`,
  })
  const { body: code } = await merchant.api.post('/api/v1/qr-codes', {})
  return {
    token: merchant.token,
    paths: [
      { under: 'payments', ids: { uuid: charge.uuid, refund: refund.data.refund.uuid } },
      { under: 'qr-codes', ids: { uuid: code.data.uuid } },
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

type Run = {
  token: string
  hooks: string
  config?: string
  options: string[]
  variables?: Record<string, string>
}

function runSchemathesis(
  { command: [program = '', ...args] }: Extract<Program, { kind: 'there' }>,
  { token, hooks, config, options, variables = {} }: Run,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      program,
      [
        ...[...args, ...(config ? ['--config-file', config] : [])],
        ...['run', `${stack.local.api_url}/openapi.json`, ...options],
        ...['--header', `Authorization: Bearer ${token}`, '--checks', CHECKS.join()],
        ...['--no-shrink', '--request-timeout', '20', '--suppress-health-check', 'all'],
        ...['--warnings', 'off', '--no-color'],
      ],
      {
        cwd: folder,
        env: {
          ...process.env,
          PYTHONPATH: HOOKS_FOLDER,
          PYTHONDONTWRITEBYTECODE: '1',
          SCHEMATHESIS_HOOKS: join(HOOKS_FOLDER, hooks),
          ...variables,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const chunks: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => chunks.push(String(chunk)))
    child.once('error', reject)
    child.once('close', code => resolve({ code, output: chunks.join('') }))
  })
}
