import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runTrigger, TRIGGERS, type TriggerName } from '../../../packages/dev/trigger/triggers.ts'
import { createApiClient } from '../../../src/cli/api-client.ts'
import { generateSigningSecret } from '../../../src/webhook-client/signature.ts'
import { buildReceiver, receivers, startReceiver } from '../../docs/support/receivers.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { pollUntil } from '../support/poll-until.ts'
import { openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** `trilho listen` and `trilho trigger` as a developer runs them, with the receiver of docs/webhooks.md. */

const ROOT = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

let stage: TestStack
beforeAll(async () => {
  stage = await openSharedTestStack()
})
afterAll(() => stage?.close())

test('a triggered event reaches a local receiver once, signed', async () => {
  const { token, api } = await stage.createMerchant()
  const folder = await createTemporaryFolder()
  const secret = generateSigningSecret()
  const receiver = await startReceiver(await buildReceiver(receivers[0]!, folder.path), secret)
  const env = {
    ...process.env,
    TRILHO_HOME: stage.home.folder,
    TRILHO_TOKEN: token,
    TRILHO_WEBHOOK_SECRET: secret,
  }
  const options = ['listen', '--forward-to', receiver.url, '--events', 'payment,refund']
  const child = spawn(process.execPath, ['packages/dev/trilho.ts', ...options], { cwd: ROOT, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  try {
    await waitFor(() => output.includes('Ready.'))
    expect(output).toContain(`Signing secret: ${secret}`)
    const trigger = await run(process.execPath, ['packages/dev/trilho.ts', 'trigger', 'refund.completed'], {
      cwd: ROOT,
      env,
    })
    expect(trigger.stdout).toMatch(
      /^refund\.completed: GET \/api\/v1\/payments\/\S+\/refunds\/\S+ is COMPLETED\n$/,
    )
    const { body } = await api.get('/api/v1/events?type=PAYMENT,REFUND')
    const expected = (body.data as { type: string; id: string }[]).map(
      ({ type, id }) => `verified: ${type} ${id}`,
    )
    expect(expected).toHaveLength(3) // PAID, REFUNDED, and the refund itself.
    await waitFor(() => expected.every(line => receiver.output().includes(line)))
    expect(receiver.output().trim().split('\n').toSorted()).toEqual(expected.toSorted())
    await waitFor(() => output.match(/ {2}204 \(\d+ ms\)/g)?.length === 3)
  } finally {
    child.kill('SIGINT')
    await receiver.stop()
    await folder.remove()
  }
  expect(await ended).toBe(0)
  expect(output).toContain('Ended: 3 delivered, 0 not accepted.')

  async function waitFor(isDone: () => boolean): Promise<void> {
    const isOver = await pollUntil(
      async () => isDone() || hasEnded(child),
      done => done,
    ).catch(() => false)
    if (!isOver || !isDone()) throw new Error(`listen printed:\n${output}\nreceived:\n${receiver.output()}`)
  }
})

const hasEnded = ({ exitCode }: ChildProcess) => exitCode !== null

test('trigger refuses a live token, and an event that it does not know', async () => {
  const env = { ...process.env, TRILHO_HOME: stage.home.folder, TRILHO_TOKEN: 'trl_live_x' }
  const trigger = (name: string) =>
    run(process.execPath, ['packages/dev/trilho.ts', 'trigger', name], { cwd: ROOT, env }).catch(
      error => error,
    )
  expect(await trigger('payment.paid')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('test token'),
  })
  expect(await trigger('payment.lost')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('payment.paid'),
  })
})

describe('trigger', () => {
  // An expired charge takes a minute at any time scale: the shortest that a provider accepts.
  const names = (Object.keys(TRIGGERS) as TriggerName[]).filter(name => name !== 'payment.expired')
  runConcurrentTests(Object.fromEntries(names.map(name => [name, () => causeEvent(name)])))

  /** An event of this type and status follows, about a resource that shows the status. */
  async function causeEvent(name: TriggerName): Promise<void> {
    const { token, api } = await stage.createMerchant({ providers: [{ balance: 1_000 }] })
    const client = createApiClient({ url: stage.local.api_url, token })
    const { path } = await runTrigger(name, { api: client, simulator: stage.simulator })
    expect((await api.get(`/api/v1${path}`)).status).toBe(200)
    const [type = '', status = ''] = name.toUpperCase().split('.')
    await pollUntil(
      async () => {
        const { body } = await api.get(`/api/v1/events?type=${type}`)
        return (body.data as { data: { status: string; refund?: { status: string } } }[]).some(
          ({ data }) => (type === 'REFUND' ? data.refund!.status : data.status) === status,
        )
      },
      isFound => isFound,
    )
  }
})
