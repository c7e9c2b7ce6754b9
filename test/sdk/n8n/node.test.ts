import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ACCESSES, listOfferedOperations } from '../../../sdk/typescript/src/operations.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { startScriptedApi } from '../support/scripted-api.ts'
import { installPackage, run } from '../typescript/support/package.ts'
import { installN8n } from './support/install-n8n.ts'

/** The node of n8n as it would be installed, loaded and executed by n8n's own engine, before a scripted API. */

const ROOT = join(import.meta.dirname, '../../..')
const TOKEN = 'trl_test_tokenOfTheTestThatNobodyMaySee'
const UUID = '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const TRANSFER = {
  resource: 'transfers',
  operation: 'createTransfer',
  body: '{ "value": 12.5, "type": "PIX", "pix_key": "joana@example.com" }',
  idempotencyKey: '={{ $json.order }}',
}

type Property = {
  name: string
  type: string
  default: unknown
  required?: boolean
  options?: { value: string }[]
  displayOptions?: { show: { operation?: string[] } }
}
type Item = { json: Record<string, unknown>; binary?: Record<string, { mimeType: string }> }
type Outcome = { status: string; error?: { message: string; description: string }; items: Item[] }

const n8n = await installN8n()
if (n8n.kind === 'missing') process.stdout.write(`skipped: ${n8n.why}\n`)
const describeN8n = n8n.kind === 'there' ? describe : describe.skip

describeN8n('the node', () => {
  const installation = n8n.kind === 'there' ? n8n.folder : ''
  let api: Awaited<ReturnType<typeof startScriptedApi>>
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>

  beforeAll(async () => {
    api = await startScriptedApi()
    folder = await createTemporaryFolder()
    const modules = join(folder.path, 'node_modules')
    await installPackage(folder.path)
    await mkdir(join(modules, 'n8n-nodes-trilho'))
    const manifest = 'n8n-nodes-trilho/package.json'
    await cp(join(ROOT, 'sdk/n8n/package.json'), join(modules, manifest))
    await run(process.execPath, [join(ROOT, 'sdk/n8n/build.ts'), join(modules, dirname(manifest), 'dist')])
    for (const name of await readdir(join(installation, 'node_modules')))
      if (!name.startsWith('.')) await symlink(join(installation, 'node_modules', name), join(modules, name))
    await writeFile(join(folder.path, 'package.json'), '{}')
  })
  afterAll(async () => {
    await api?.close()
    await folder?.remove()
  })

  /** Runs the program in the folder with a text as its input. */
  async function runProgram(input: string) {
    const started = run(process.execPath, [join(import.meta.dirname, 'programs/run-workflow.cjs')], {
      cwd: folder.path,
      maxBuffer: 1 << 26,
      env: { ...process.env, N8N_USER_FOLDER: folder.path },
    })
    started.child.stdin!.end(input)
    const { stdout, stderr } = await started
    expect(stdout + stderr).not.toContain(TOKEN)
    return JSON.parse(/\nRESULT (.*)\n/.exec(stdout)![1]!)
  }

  async function execute(
    parameters: object,
    {
      allow = [],
      items = [{ order: 'payout-77' }],
      continueOnFail = false,
    }: {
      allow?: string[]
      items?: object[]
      continueOnFail?: boolean
    } = {},
  ): Promise<Outcome> {
    const credentials = { baseUrl: api.url, token: TOKEN, allow }
    return runProgram(JSON.stringify({ parameters, credentials, items, continueOnFail }))
  }

  test('offers every operation, each with what it takes', async () => {
    const { description, credentials } = await runProgram('')
    const properties: Property[] = description.properties
    const offered = listOfferedOperations(ACCESSES)
    const choices = properties.filter(({ name }) => name === 'operation')
    expect(choices.flatMap(({ options = [] }) => options.map(({ value }) => value)).sort()).toEqual(
      offered.map(({ id }) => id).sort(),
    )
    const keys = properties.filter(({ name }) => name === 'idempotencyKey')
    expect(keys.map(({ displayOptions }) => displayOptions?.show.operation?.[0])).toEqual(
      offered.filter(({ isKeyed }) => isKeyed).map(({ id }) => id),
    )
    for (const key of keys) expect(key).toMatchObject({ required: true, default: '' })
    expect(credentials.find(({ name }: Property) => name === 'allow').default).toEqual([])
  })

  test('reads, an item for each row of a list', async () => {
    api.answer({ status: 200, json: { data: [{ uuid: UUID }, { uuid: 'other' }] } })
    const parameters = { resource: 'payments', operation: 'listPayments', filters: { status: 'PAID' } }
    const { status, items } = await execute(parameters)
    expect([status, items.map(({ json }) => json)]).toEqual(['success', [{ uuid: UUID }, { uuid: 'other' }]])
    expect(api.requests[0]).toMatchObject({ method: 'GET', url: '/api/v1/payments?status=PAID' })
    expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  })

  test('refuses money where the credential does not allow it, and sends nothing', async () => {
    api.answer({ status: 201, json: { data: {} } })
    const { status, error } = await execute(TRANSFER, { allow: ['charges'] })
    expect([status, error?.message]).toEqual(['error', expect.stringContaining('does not allow transfers')])
    expect(api.requests).toEqual([])
  })

  test('sends money with the key of each item, which the item shows', async () => {
    api.answer({ status: 201, json: { data: { uuid: UUID } } })
    const items = [{ order: 'payout-77' }, { order: 78 }]
    const outcome = await execute(TRANSFER, { allow: ['transfers'], items })
    expect(outcome.items.map(({ json }) => json)).toEqual([
      { uuid: UUID, idempotency_key: 'payout-77' },
      { uuid: UUID, idempotency_key: '78' },
    ])
    expect(api.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['payout-77', '78'])
    expect(JSON.parse(api.requests[0]!.body)).toEqual(JSON.parse(TRANSFER.body))
  })

  test('sends nothing without a key or a body', async () => {
    api.answer({ status: 201, json: { data: {} } })
    const options = { allow: ['transfers'], continueOnFail: true }
    const { items } = await execute(TRANSFER, { ...options, items: [{}, { order: '' }] })
    expect(items.map(({ json }) => json.message)).toEqual(
      Array(2).fill('Nothing was sent: idempotencyKey is empty.'),
    )
    const empty = await execute({ ...TRANSFER, body: '' }, options)
    expect(empty.items[0]?.json.message).toContain('Nothing was sent')
    expect(api.requests).toEqual([])
  })

  test('a lost answer is an unknown outcome with its key, and ends the execution', async () => {
    api.answer(response => response.destroy())
    const items = [{ order: 'payout-79' }, { order: 'payout-80' }]
    const { status, error } = await execute(TRANSFER, { allow: ['transfers'], items })
    expect([status, error?.message]).toEqual(['error', expect.stringContaining('Outcome unknown')])
    expect(JSON.parse(error!.description)).toMatchObject({ outcome: 'UNKNOWN', idempotency_key: 'payout-79' })
    const keys = new Set(api.requests.map(({ headers }) => headers['idempotency-key']))
    expect([...keys]).toEqual(['payout-79'])
  })

  test('its sources have the types of n8n', async () => {
    const project = join(folder.path, 'tsconfig.json')
    const compilerOptions = {
      noCheck: false,
      noEmit: true,
      rootDir: '/',
      typeRoots: [join(ROOT, 'node_modules/@types')],
      paths: {
        '@trilho/sdk': [join(ROOT, 'sdk/typescript/src/index.ts')],
        '@trilho/sdk/operations': [join(ROOT, 'sdk/typescript/src/operations.ts')],
        'n8n-workflow': [join(installation, 'node_modules/n8n-workflow/dist/esm/index.d.ts')],
      },
    }
    const config = { extends: join(ROOT, 'sdk/n8n/tsconfig.json'), include: [join(ROOT, 'sdk/n8n/src')] }
    await writeFile(project, JSON.stringify({ ...config, compilerOptions }))
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
      'bin/tsc',
    )
    const { stdout } = await new Promise<{ stdout: string }>(resolve =>
      execFile(process.execPath, [compiler, '-p', project], (_error, stdout) => resolve({ stdout })),
    )
    expect(stdout).toBe('')
  })
})
