import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Command, CommanderError } from 'commander'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { type CreateConnectionInput, createConnection } from '../../src/admin/connections.ts'
import { acceptInvitation } from '../../src/admin/invitations.ts'
import { addUser } from '../../src/admin/users.ts'
import { readUserName } from '../../src/cli/command-context.ts'
import { parseFee } from '../../src/cli/connections.ts'
import { createProgram } from '../../src/cli/program.ts'
import { readConfig } from '../../src/config.ts'
import { createSession } from '../../src/dashboard/authentication/sign-in.ts'
import type { Orm } from '../../src/db/client/orm.ts'
import { runInTransaction } from '../../src/db/client/transaction.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { Token } from '../../src/db/entities/token.ts'
import { User } from '../../src/db/entities/user.ts'
import { Webhook } from '../../src/db/entities/webhook.ts'
import { findValidSession } from '../../src/db/repositories/dashboard-sessions.ts'
import { storeUnexplainedAnswer } from '../../src/db/repositories/unexplained-answers.ts'
import { formatFee } from '../../src/domain/ledger/money.ts'
import { createProviderRegistry, type ProviderRegistry } from '../../src/providers/registry.ts'
import { verifyPassword } from '../../src/security/passwords.ts'
import { createSealer, sha256 } from '../../src/security/sealing.ts'
import { hashToken } from '../../src/security/tokens.ts'
import { createSelfSignedCertificate } from '../providers/support/certificate.ts'
import { type ScriptedProvider, startScriptedProvider } from '../providers/support/scripted-provider.ts'
import { createTestDatabase } from '../support/database.ts'
import { openTestOrm } from '../support/orm.ts'

/**
 * Every command that needs no provider or Temporal, over a database of its own; the others are in
 * test/api/commands.test.ts.
 */

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where it is not.
type Line = any

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`
const BY = ['--by', 'ana', '--reason', 'a drill']

let databaseUrl: string
let orm: Orm
let folder: string
let mailServer: ScriptedProvider
let providers: ProviderRegistry
let waitingMigration: Promise<Line[]>
beforeAll(async () => {
  mailServer = await startScriptedProvider()
  providers = createProviderRegistry({
    openCredentials: sealed => createSealer(keys).open(sealed),
    timeoutMs: 4_000,
    ca: mailServer.ca,
  })
  databaseUrl = await createTestDatabase()
  orm = await openTestOrm({ databaseUrl })
  folder = await mkdtemp(join(tmpdir(), 'trilho-commands-'))
  waitingMigration = migrateBesideAnother()
  waitingMigration.catch(() => {}) // Its test reports it.
})
afterAll(async () => {
  await providers?.close()
  await mailServer?.close()
  await orm?.close()
  await rm(folder, { recursive: true })
})

let keys = OLD
let stdin = ''
let account: string
beforeEach(async () => {
  keys = OLD
  ;[{ account_uuid: account }] = await run('account', 'open', 'Loja', '11.222.333/0001-81')
})

/** Runs a command as a shell would, and answers its output. */
async function run(...words: string[]): Promise<Line[]> {
  const lines: Line[] = []
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    TRILHO_SECRET_KEY: keys,
  })
  const program = await createProgram({
    withContext: async work =>
      void (await work({ orm, em: orm.em.fork(), config, sealer: createSealer(keys), providers })),
    withApi: async () => {},
    print: line => void lines.push(JSON.parse(JSON.stringify(line))),
    readSecret: async () => stdin,
  })
  for (const command of everyCommand(program))
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  await program.parseAsync(words, { from: 'user' })
  return lines
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

const em = () => orm.em.fork()
const actsOf = (subject: string) => run('acts', '--subject', subject)

function connection(
  type: 'NOMINAL' | 'POOL' = 'NOMINAL',
  order: Partial<CreateConnectionInput> = {},
): Promise<Connection> {
  return createConnection(em(), createSealer(OLD), {
    accountUuid: account,
    provider: 'PROVIDER_A',
    providerAccount: crypto.randomUUID(),
    dialect: 'efi',
    type,
    isSimulated: true,
    baseUrl: 'https://localhost:1',
    credentials: { client_id: 'a', client_secret: 'b', notification_secret: 'c' },
    collectionKey: null,
    ...order,
  })
}

describe('account', () => {
  test('open and list; the document is checked and stored without punctuation', async () => {
    const listed = await run('account', 'list')
    expect(listed.at(-1)).toEqual({
      account_uuid: account,
      name: 'Loja',
      status: 'ACTIVE',
      unmatched: 'refund',
      wrong_payer: 'return',
      disputed_splits: 'share',
      unique_external_ref: false,
      time_zone: 'America/Sao_Paulo',
    })
    const [row] = await em().execute('select document from account where uuid = ?', [account])
    expect(row).toEqual({ document: '11222333000181' })
    await expect(run('account', 'open', 'Loja', '11222333000180')).rejects.toThrow(/not a valid CPF or CNPJ/)
  })

  test('policy changes only what is named, and records the operator and the reason', async () => {
    const readAccount = async () => (await run('account', 'list')).find(line => line.account_uuid === account)
    await run('account', 'policy', account, '--unmatched', 'keep', ...BY)
    expect(await readAccount()).toMatchObject({ unmatched: 'keep', unique_external_ref: false })
    await run('account', 'policy', account, '--unique-external-ref', 'yes', ...BY)
    expect(await readAccount()).toMatchObject({ unmatched: 'keep', unique_external_ref: true })
    await run('account', 'policy', account, '--wrong-payer', 'review', ...BY)
    expect(await readAccount()).toMatchObject({ unmatched: 'keep', wrong_payer: 'review' })
    const back = ['--unmatched', 'refund', '--unique-external-ref', 'no', '--disputed-splits', 'owner']
    await run('account', 'policy', account, ...back, ...BY)
    expect(await readAccount()).toMatchObject({
      unmatched: 'refund',
      unique_external_ref: false,
      disputed_splits: 'owner',
    })
    await expect(run('account', 'policy', account, ...BY)).rejects.toThrow(/nothing to change/)
    expect(
      (await actsOf(`account/${account}`)).map(({ action, actor, reason }) => [action, actor, reason]),
    ).toEqual([
      ['account_policy', 'ana', 'a drill'],
      ['account_policy', 'ana', 'a drill'],
      ['account_policy', 'ana', 'a drill'],
      ['account_policy', 'ana', 'a drill'],
      ['account_open', expect.any(String), 'routine'],
    ])
  })

  test('time-zone sets the zone of an account, and refuses what is none', async () => {
    await run('account', 'time-zone', account, 'America/Manaus', ...BY)
    const [row] = await orm.em.fork().execute('select time_zone from account where uuid = ?', [account])
    expect(row).toEqual({ time_zone: 'America/Manaus' })
    await expect(run('account', 'time-zone', account, 'America/Nowhere', ...BY)).rejects.toThrow(
      /not a time zone/,
    )
  })

  test('block and unblock: users who were signed in must sign in again', async () => {
    const order = { email: `${crypto.randomUUID()}@trilho.test`, password: 'long enough for all' }
    const user = await addUser(em(), { ...order, accountUuid: account })
    const secret = await createSession(em(), { user, totpUuid: null })
    const isInside = async () =>
      (await findValidSession(em(), sha256(secret), { isUserActive: true })) !== null
    expect(await isInside()).toBe(true)
    const status = async () =>
      (await run('account', 'list')).find(line => line.account_uuid === account).status
    await run('account', 'block', account, ...BY)
    expect(await status()).toBe('BLOCKED')
    await run('account', 'unblock', account, ...BY)
    expect(await status()).toBe('ACTIVE')
    expect(await isInside()).toBe(false)
  })

  test('defaults are the account’s own connections, in the given order', async () => {
    const [a, b] = [await connection(), await connection()]
    await run('account', 'defaults', account, b.uuid, a.uuid)
    const stored = () =>
      em().execute('select connection_uuid from default_provider where account_uuid = ? order by position', [
        account,
      ])
    expect(await stored()).toEqual([{ connection_uuid: b.uuid }, { connection_uuid: a.uuid }])
    await expect(run('account', 'defaults', account, crypto.randomUUID())).rejects.toThrow(/there is no/)
    expect(await stored()).toHaveLength(2)
  })
})

describe('user', () => {
  const stored = (email: string) => em().findOneOrFail(User, { email }, { populate: ['passwordHash'] })

  test('a user of an account is invited by a link, which is shown once, and sets the password', async () => {
    const [made] = await run('user', 'add', 'Ana@loja.test', '--role', 'merchant', '--account', account)
    expect(made).toMatchObject({ email: 'ana@loja.test', role: 'owner' })
    expect(made).not.toHaveProperty('password')
    expect((await actsOf(`invitation/${made.invitation_uuid}`)).map(({ action }) => action)).toEqual([
      'invite_user',
    ])
    const token = String(made.invitation_url).split('/dashboard/invitation/')[1]!
    const joined = await acceptInvitation(em(), { token, name: 'Ana', password: 'staple staple staple' })
    expect(joined.kind).toBe('accepted')
    expect(await verifyPassword('staple staple staple', (await stored('ana@loja.test')).passwordHash)).toBe(
      true,
    )
    for (const words of [[], ['--password-file', '-']])
      await expect(
        run('user', 'add', 'ana@loja.test', '--role', 'owner', '--account', account, ...words),
      ).rejects.toThrow(words.length === 0 ? /already exists/ : /--password-file is allowed only/)
  })

  test('an operator gets a password that is shown once, or one from a file or the standard input', async () => {
    const [made] = await run('user', 'add', 'eva@trilho.test', '--role', 'operator')
    expect(await verifyPassword(made.password, (await stored('eva@trilho.test')).passwordHash)).toBe(true)

    const file = join(folder, 'password')
    await writeFile(file, 'correct horse battery\n')
    const [op] = await run('user', 'add', 'op@trilho.test', '--role', 'operator', '--password-file', file)
    expect(op).not.toHaveProperty('password')
    stdin = 'staple staple staple'
    await run('user', 'password', 'OP@trilho.test', '--password-file', '-', ...BY)
    const { passwordHash, role } = await stored('op@trilho.test')
    expect(role).toBe('operator')
    expect(await verifyPassword('staple staple staple', passwordHash)).toBe(true)
    expect((await actsOf(`user/${op.user_uuid}`)).map(({ action }) => action)).toEqual([
      'user_password',
      'user_add',
    ])
  })

  test('list, disable and enable', async () => {
    const user = { email: 'bia@loja.test', password: 'staple staple staple', accountUuid: account }
    await addUser(em(), { ...user, role: 'finance' })
    const listed = () => run('user', 'list', '--account', account)
    expect(await listed()).toEqual([
      { email: 'bia@loja.test', role: 'finance', account_uuid: account, disabled_at: null },
    ])
    await run('user', 'disable', 'bia@loja.test', ...BY)
    expect((await listed())[0].disabled_at).toEqual(expect.any(String))
    await run('user', 'enable', 'bia@loja.test', ...BY)
    expect((await listed())[0].disabled_at).toBeNull()
  })

  test.each<[what: string, words: string[], why: RegExp]>([
    ['a merchant without an account', ['add', 'x@y.test', '--role', 'merchant'], /--account is required/],
    ['an unknown role', ['add', 'x@y.test', '--role', 'admin'], /Allowed choices/],
    ['nobody', ['disable', 'nobody@y.test', ...BY], /there is no user/],
  ])('%s is refused', async (_what, words, why) => {
    await expect(run('user', ...words)).rejects.toThrow(why)
  })

  test('an operator belongs to no account', async () => {
    const words = ['add', 'x@y.test', '--role', 'operator', '--account', account]
    await expect(run('user', ...words)).rejects.toThrow(/no account/)
  })
})

describe('token', () => {
  const listed = () => run('token', 'list', account)

  test('issue shows it once, list shows its prefix, expire sets its end, revoke ends it', async () => {
    const { uuid } = await connection()
    const issue = ['token', 'issue', account, 'till', '--mode', 'test']
    const [{ token, ...issued }] = await run(
      ...[...issue, '--connection', uuid, '--expires', '2030-01-01T00:00:00Z'],
    )
    expect(token).toMatch(/^trl_test_[\w-]{43}$/)
    const [row] = await listed()
    expect(row).toMatchObject({
      name: 'till',
      mode: 'test',
      provider_uuid: uuid,
      expires_at: '2030-01-01T00:00:00.000Z',
      revoked_at: null,
    })
    expect(issued).toEqual({ token_uuid: row.token_uuid, name: 'till' })
    expect(token.startsWith(row.prefix)).toBe(true)
    expect(JSON.stringify(await listed())).not.toContain(token)
    expect(await em().count(Token, { hash: hashToken(token) })).toBe(1)

    await run('token', 'expire', row.token_uuid, '2029-06-01')
    expect((await listed())[0].expires_at).toBe('2029-06-01T00:00:00.000Z')
    await run('token', 'revoke', account, row.token_uuid)
    expect((await listed())[0].revoked_at).toEqual(expect.any(String))
    await expect(run('token', 'revoke', account, row.token_uuid)).rejects.toThrow(/no token/)
  })

  test('revoke by name ends all tokens of that name, and no other', async () => {
    for (const name of ['a', 'a', 'b']) await run('token', 'issue', account, name)
    await run('token', 'revoke', account, 'a')
    const tokens = (await listed()).map(({ name, mode, revoked_at }) => [name, mode, revoked_at !== null])
    expect(tokens.toSorted()).toEqual([
      ['a', 'live', true],
      ['a', 'live', true],
      ['b', 'live', false],
    ])
  })

  test('has the scopes and addresses that issue and restrict give it', async () => {
    const permissions = async () =>
      (await listed()).map(({ scopes, allowed_addresses: from }) => [scopes, from])
    const words = ['--scopes', 'refunds,charges', '--addresses', '203.0.113.0/24,2001:DB8::1']
    await run('token', 'issue', account, 'till', ...words)
    const addresses = ['203.0.113.0/24', '2001:db8::1']
    expect(await permissions()).toEqual([[['charges', 'refunds'], addresses]])
    const [{ token_uuid: uuid }] = await listed()
    await run('token', 'restrict', uuid, '--scopes', 'read')
    expect(await permissions()).toEqual([[['read'], addresses]])
    await run('token', 'restrict', uuid, '--addresses', 'any')
    expect(await permissions()).toEqual([[['read'], []]])
    await expect(run('token', 'restrict', uuid)).rejects.toThrow(/--scopes or --addresses/)
    await run('token', 'revoke', account, uuid)
    await expect(run('token', 'restrict', uuid, '--scopes', 'read')).rejects.toThrow(/is revoked/)
  })

  test.each<[what: string, words: string[], why: RegExp]>([
    ['an unknown scope', ['issue', '--scopes', 'charges,all'], /--scopes <scopes>.*Not of read, charges/],
    [
      'an address with bits after its prefix',
      ['issue', '--addresses', '203.0.113.7/24'],
      /is in 203.0.113.0\/24/,
    ],
    ['an empty list of addresses', ['issue', '--addresses', ' '], /"any" removes the list/],
    ['an end that is no moment', ['issue', '--expires', 'soon'], /ISO 8601/],
    ['an account that is no uuid', ['list', 'loja'], /Not a uuid/],
    ['an unknown token', ['expire', crypto.randomUUID(), '2030-01-01'], /there is no token/],
  ])('%s is refused', async (_what, [word, ...more], why) => {
    const words = word === 'issue' ? [account, 'till', ...more] : more
    await expect(run('token', word!, ...words)).rejects.toThrow(why)
  })

  test('for an unknown account or another account’s connection is refused', async () => {
    await expect(run('token', 'issue', crypto.randomUUID(), 'till')).rejects.toThrow(/there is no account/)
    const { uuid } = await connection()
    const [{ account_uuid: other }] = await run('account', 'open', 'Outra', '52998224725')
    await expect(run('token', 'issue', other, 'till', '--connection', uuid)).rejects.toThrow(/of the account/)
    expect(await run('token', 'list', other)).toEqual([])
  })

  test('for a connection of the other mode is refused', async () => {
    const { uuid } = await connection()
    const live = ['token', 'issue', account, 'till', '--mode', 'live', '--connection', uuid]
    await expect(run(...live)).rejects.toThrow(/real connection .* of the account/)
    expect(await listed()).toEqual([])
  })
})

/** No URL is registered for a key. */
const WEBHOOK_ABSENT = {
  status: 404,
  json: {
    type: 'https://pix.bcb.gov.br/api/v2/error/WebhookNaoEncontrado',
    title: 'Não Encontrado',
    status: 404,
    detail: 'Webhook não encontrado.',
  },
}

describe('connection', () => {
  const ROLE = ['--pool-role', 'Loja Pagamentos, payment institution authorised in 2026']

  async function writeVirtualAccount(): Promise<string> {
    const file = join(folder, 'virtual-account.json')
    const bank = { name: 'Banco Primeiro S.A.', ispb: '30680829' }
    await writeFile(file, JSON.stringify({ account_number: '48213705', account_agency: '0001', bank }))
    return file
  }

  async function writeEfiCredentials(name: string): Promise<string> {
    const file = join(folder, name)
    const { certificate, key: private_key } = await createSelfSignedCertificate()
    const secrets = { client_id: 'a', client_secret: 'b', notification_secret: 'c' }
    await writeFile(file, JSON.stringify({ ...secrets, certificate, private_key }))
    return file
  }

  test('status, visibility and fees change what list shows; a fee that is not named stays', async () => {
    const { uuid } = await connection('POOL', { providerAccount: 'pool-1' })
    const readConnection = async () => (await run('connection', 'list', account))[0]
    const free = '0.00+0.00%'
    expect(await readConnection()).toEqual({
      provider_uuid: uuid,
      provider: 'PROVIDER_A',
      provider_account: 'pool-1',
      mode: 'test',
      type: 'POOL',
      status: 'ACTIVE',
      dialect: 'efi',
      is_public: true,
      max_per_transfer: null,
      fees: { charge: free, transfer: free, refund: free },
      secret_key_id: 'old',
    })
    await run('connection', 'fees', uuid, '--charge', '0.10+0.99%', '--transfer', '1', ...BY)
    await run('connection', 'fees', uuid, '--transfer', '1.5%', ...BY)
    await run('connection', 'limit', uuid, '--max-per-transfer', '15000', ...BY)
    expect(await readConnection()).toMatchObject({ max_per_transfer: '15000.00' })
    await run('connection', 'limit', uuid, '--max-per-transfer', 'none', ...BY)
    expect(await readConnection()).toMatchObject({ max_per_transfer: null })
    await run('connection', 'status', uuid, 'inactive', ...BY)
    await run('connection', 'visibility', uuid, '--public', 'no', ...BY)
    expect(await readConnection()).toMatchObject({
      status: 'INACTIVE',
      is_public: false,
      fees: { charge: '0.10+0.99%', transfer: '0.00+1.50%', refund: free },
    })
    const { fees } = await em().findOneOrFail(Connection, uuid)
    expect(fees.charge).toEqual({ fixedCents: 10, hundredthsOfPercent: 99 })
    expect((await actsOf(`connection/${uuid}`)).map(({ action }) => action)).toEqual([
      'connection_visibility',
      'connection_status',
      'connection_limit',
      'connection_limit',
      'connection_fees',
      'connection_fees',
    ])
    await expect(run('connection', 'fees', uuid, ...BY)).rejects.toThrow(/no fee is given/)
    await expect(run('connection', 'limit', uuid, '--max-per-transfer', '0', ...BY)).rejects.toThrow(
      /Not a limit/,
    )
    await expect(run('connection', 'status', uuid, 'SLEEPING', ...BY)).rejects.toThrow(/not one of/)
  })

  test.each(['', '+1%', '0.001', '1.999%', '101%', '-1', '1%+1', 'free', '1+1'])('%j is no fee', text => {
    expect(() => parseFee(text)).toThrow(/Not a fee/)
  })
  test.each(['0.00+0.00%', '0.10+0.99%', '12.00+100.00%'])('the fee %s is parsed as written', text => {
    expect(formatFee(parseFee(text))).toBe(text)
  })

  test('is not added with credentials that the provider’s API cannot use', async () => {
    const file = join(folder, 'unusable.json')
    await writeFile(file, JSON.stringify({ client_id: 'a' }))
    const add = ['connection', 'add', account, '--provider', 'PROVIDER_A', '--dialect', 'efi']
    const at = ['--provider-account', 'unusable', '--base-url', 'https://localhost:1', '--credentials', file]
    const atProvider = ['--virtual-account', await writeVirtualAccount()]
    await expect(run(...add, ...at)).rejects.toThrow(/--virtual-account is required with --type NOMINAL/)
    const wrong = join(folder, 'half-an-account.json')
    await writeFile(wrong, JSON.stringify({ account_number: '1', bank: { name: 'Banco', ispb: '123' } }))
    await expect(run(...add, ...at, '--virtual-account', wrong)).rejects.toThrow(/must be 8 characters/)
    await expect(run(...add, ...at, ...atProvider, '--type', 'POOL')).rejects.toThrow(
      /only with --type NOMINAL/,
    )
    await expect(run(...add, ...at, ...atProvider)).rejects.toThrow(/client_secret/)
    expect(await run('connection', 'list', account)).toEqual([])
  })

  test('is pending until its notifications are registered, and removed where they are not', async () => {
    const file = await writeEfiCredentials('usable.json')
    const words = ['--provider', 'PROVIDER_A', '--dialect', 'efi', '--provider-account', 'pending']
    const at = ['--base-url', mailServer.url, '--credentials', file, '--collection-key', 'key', ...BY]
    const atProvider = ['--virtual-account', await writeVirtualAccount()]
    const add = () => run('connection', 'add', account, ...words, ...at, ...atProvider)
    const statuses = async () => (await run('connection', 'list', account)).map(({ status }) => status)
    mailServer.scriptReplies('GET /v2/gn/evp', { status: 200, json: { chaves: [crypto.randomUUID()] } })
    mailServer.scriptReplies('GET /v2/webhook/key', WEBHOOK_ABSENT)
    mailServer.scriptReplies('PUT /v2/webhook/key', 'hang', { status: 201, json: {} })

    const refused = expect(add()).rejects.toThrow(/did not register/)
    const isRegistering = () => mailServer.calls().some(({ method }) => method === 'PUT')
    while (!isRegistering()) await pause(10)
    expect(await statuses()).toEqual(['CONFIGURATION_PENDING'])
    await refused
    expect(await statuses()).toEqual([])
    const [{ subject }] = await run('acts', '--limit', '1')
    expect((await actsOf(subject)).map(({ action, actor }) => [action, actor])).toEqual([
      ['connection_withdraw', 'ana'],
      ['connection_add', 'ana'],
    ])
    await run('check-ledger', '--providers') // Looks up no connection where none is left.
    process.exitCode = 0

    const [{ provider_uuid }] = await add()
    expect(await run('connection', 'list', account)).toMatchObject([{ provider_uuid, status: 'ACTIVE' }])
    const registered = mailServer.calls().filter(({ path }) => path === '/v2/webhook/key')
    expect(registered.at(-1)!.body).toContain(`/provider-notifications/${provider_uuid}/c`)
  })

  test('shares an account, and replaces the URL of another system, only where an option says so', async () => {
    const file = await writeEfiCredentials('shared.json')
    const other = (await run('account', 'open', 'Outra Loja', '11222333000181'))[0].account_uuid
    const words = ['--provider', 'PROVIDER_A', '--dialect', 'efi', '--provider-account', 'shared']
    const at = ['--base-url', mailServer.url, '--credentials', file, '--collection-key', 'their-key', ...BY]
    const add = (owner: string, ...more: string[]) =>
      run('connection', 'add', owner, ...words, ...at, '--type', 'POOL', ...ROLE, ...more)
    const [, role] = ROLE
    await expect(run('connection', 'add', account, ...words, ...at, '--type', 'POOL')).rejects.toThrow(
      /^--pool-role is required for a live POOL: .*518\/2025/,
    )
    await expect(
      run('connection', 'add', account, ...words, ...at, '--type', 'POOL', '--simulated', ...ROLE),
    ).rejects.toThrow(/^--pool-role is only for a live POOL/)
    mailServer.scriptReplies('GET /v2/gn/evp', { status: 200, json: { chaves: [crypto.randomUUID()] } })
    mailServer.scriptReplies('GET /v2/webhook/their-key', {
      status: 200,
      json: { webhookUrl: 'https://erp.example/pix', chave: 'their-key' },
    })
    mailServer.scriptReplies('PUT /v2/webhook/their-key', { status: 201, json: {} })
    await expect(add(account)).rejects.toThrow(
      '--replace-webhook must be given on purpose: the provider notifies https://erp.example/pix for this PIX key now, and would no longer do so',
    )
    const isReplaced = ({ method, path }: { method: string; path: string }) =>
      method === 'PUT' && path === '/v2/webhook/their-key'
    expect(mailServer.calls().some(isReplaced)).toBe(false)
    await add(account, '--replace-webhook')
    await expect(add(other, '--replace-webhook')).rejects.toThrow(
      /^--join must be given on purpose: the account is connected already and holds the money of .* \(POOL\)$/,
    )
    const [joined] = await add(other, '--replace-webhook', '--join', '--max-per-transfer', '15000.00')
    expect(
      (await actsOf(`connection/${joined.provider_uuid}`)).map(({ action, reason }) => [action, reason]),
    ).toEqual(expect.arrayContaining([['connection_pool_role', role]]))
    expect(joined.holds_money_of).toMatchObject([{ account_uuid: account }, { account_uuid: other }])
    expect((await run('connection', 'list', other))[0]).toMatchObject({
      provider_account: 'shared',
      max_per_transfer: '15000.00',
      mode: 'live',
      holds_money_of: joined.holds_money_of,
    })
  })

  test('unproved credentials are withdrawn where the notifications are not registered', async () => {
    const order = { baseUrl: mailServer.url, collectionKey: 'another-key' }
    const { uuid, sealedCredentials } = await connection('NOMINAL', order)
    const file = join(folder, 'fresh.json')
    await writeFile(
      file,
      JSON.stringify({ client_id: 'a', client_secret: 'fresh', notification_secret: 'c' }),
    )
    const replace = () => run('connection', 'credentials', uuid, file, ...BY)
    const stored = async () =>
      (await em().findOneOrFail(Connection, uuid, { populate: ['sealedCredentials'] })).sealedCredentials
    mailServer.scriptReplies('GET /v2/gn/evp', { status: 200, json: { chaves: [] } })
    mailServer.scriptReplies('GET /v2/webhook/another-key', WEBHOOK_ABSENT)
    mailServer.scriptReplies(
      'PUT /v2/webhook/another-key',
      { status: 400, json: { nome: 'chave_invalida' } },
      { status: 201 },
    )
    await expect(replace()).rejects.toThrow(/did not register .* the previous credentials are restored/)
    expect(await stored()).toBe(sealedCredentials)
    expect(await replace()).toEqual([
      { warning: expect.stringContaining('same account'), credentials_epoch: 4 },
    ])
    expect(await stored()).not.toBe(sealedCredentials)
    expect((await actsOf(`connection/${uuid}`)).map(({ action }) => action)).toEqual([
      'connection_credentials',
      'connection_credentials_withdraw',
      'connection_credentials',
    ])
  })

  test('credentials do not end the notifications of another system, unless an option says so', async () => {
    const order = { baseUrl: mailServer.url, collectionKey: 'third-key' }
    const { uuid, sealedCredentials } = await connection('NOMINAL', order)
    const file = join(folder, 'third.json')
    await writeFile(
      file,
      JSON.stringify({ client_id: 'a', client_secret: 'third', notification_secret: 'c' }),
    )
    const replace = (...more: string[]) => run('connection', 'credentials', uuid, file, ...more, ...BY)
    mailServer.scriptReplies('GET /v2/gn/evp', { status: 200, json: { chaves: [] } })
    mailServer.scriptReplies('GET /v2/webhook/third-key', {
      status: 200,
      json: { webhookUrl: 'https://erp.example/pix', chave: 'third-key' },
    })
    mailServer.scriptReplies('PUT /v2/webhook/third-key', { status: 201, json: {} })
    await expect(replace()).rejects.toThrow(/^--replace-webhook must be given on purpose: .*erp\.example/)
    const populate = ['sealedCredentials', 'sealedReplacedUrl'] as const
    const stored = () => em().findOneOrFail(Connection, uuid, { populate })
    expect(await stored()).toMatchObject({ sealedCredentials, sealedReplacedUrl: null })
    await replace('--replace-webhook')
    const { sealedReplacedUrl } = await stored()
    expect(createSealer(keys).open(sealedReplacedUrl!)).toBe('https://erp.example/pix')
  })

  test('credentials that the provider’s API cannot use are refused, and the stored ones stay', async () => {
    const { uuid, sealedCredentials } = await connection()
    const file = join(folder, 'credentials.json')
    await writeFile(file, '{"app_id": "secret"}')
    await expect(run('connection', 'credentials', uuid, file, ...BY)).rejects.toThrow(
      /^credentials\.client_id: .*; credentials\.notification_secret: .*; credentials\.client_secret: /,
    )
    await writeFile(file, 'secret')
    await expect(run('connection', 'credentials', uuid, file, ...BY)).rejects.toThrow(/is not JSON$/)
    const now = await em().findOneOrFail(Connection, uuid, { populate: ['sealedCredentials'] })
    expect(now.sealedCredentials).toBe(sealedCredentials)
  })
})

describe('reseal', () => {
  /** Inserts webhook endpoints whose secrets are sealed by the old key. */
  async function insertWebhooks(count: number): Promise<string[]> {
    const rows = await em().execute<{ uuid: string }[]>(
      `insert into webhook (uuid, account_uuid, url, sealed_secret, previous_secrets, masked_secret, events, fingerprint, created_at)
       select gen_random_uuid(), ?, 'https://a.test', ?, '[]', '', '{MED}', '', now() from generate_series(1, ?)
       returning uuid`,
      [account, createSealer(OLD).seal('whsec_secret'), count],
    )
    return rows.map(({ uuid }) => uuid)
  }

  /** Returns once a session of the database waits for the row that another one holds. */
  async function waitForRowWaiter(): Promise<void> {
    const sql = `select 1 from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and l.locktype = 'transactionid' and a.datname = current_database()`
    while ((await em().execute<object[]>(sql)).length === 0);
  }

  test('a secret sealed by an older key is sealed by the newest one, opens as before, and needs the old key no more', async () => {
    const { uuid } = await connection()
    const [webhook] = (await insertWebhooks(1)) as [string]
    const until = '2030-01-01T00:00:00.000Z'
    const replaced = ['whsec_older', 'whsec_oldest'].map(token => ({
      sealed: createSealer(OLD).seal(token),
      until,
    }))
    await em().execute('update webhook set previous_secrets = ?::jsonb where uuid = ?', [
      JSON.stringify(replaced),
      webhook,
    ])
    keys = `${NEW},${OLD}`
    const output = await run('reseal', ...BY)
    expect(output.at(-1)).toEqual({ key_id: 'new', unopened: 0, left: 0 })
    expect(output).toContainEqual(
      expect.objectContaining({ table: 'webhook', column: 'sealed_secret', resealed: 1 }),
    )
    const fresh = createSealer(NEW)
    const now = await em().findOneOrFail(Connection, uuid, { populate: ['sealedCredentials'] })
    expect(now.secretKeyId).toBe('new')
    expect(fresh.open(now.sealedCredentials)).toEqual({
      client_id: 'a',
      client_secret: 'b',
      notification_secret: 'c',
    })
    const { sealedSecret, previousSecrets } = await em().findOneOrFail(Webhook, webhook)
    expect(fresh.open(sealedSecret)).toBe('whsec_secret')
    expect(previousSecrets.map(({ sealed, until }) => [fresh.open(sealed), until])).toEqual([
      ['whsec_older', until],
      ['whsec_oldest', until],
    ])

    const again = await run('reseal', ...BY)
    expect(again.reduce((sum, line) => sum + (line.resealed ?? 0), 0)).toBe(0)
  })

  test('rows of more than one batch are all sealed again', async () => {
    const { uuid } = await connection()
    await em().execute(
      `insert into unexplained_answer (uuid, connection_uuid, operation, kind, name, sealed_body, is_cut, digest)
       select gen_random_uuid(), ?, 'list', 'unreadable_item', 'a', ?, false, n::text from generate_series(1, 250) n`,
      [uuid, createSealer(OLD).seal('a body')],
    )
    keys = `${NEW},${OLD}`
    const output = await run('reseal', ...BY)
    const table = { table: 'unexplained_answer', column: 'sealed_body' }
    expect(output).toContainEqual({ ...table, resealed: 250, unopened: 0, left: 0 })
    const rows = await em().execute<{ text: string }[]>(
      'delete from unexplained_answer where connection_uuid = ? returning sealed_body as text',
      [uuid],
    )
    expect(new Set(rows.map(({ text }) => createSealer(NEW).open(text)))).toEqual(new Set(['a body']))
  })

  test('while it waits for a row it holds no other, has committed what it did, and leaves a row that changes', async () => {
    const { uuid } = await connection()
    const [changing] = (await insertWebhooks(3)) as [string]
    keys = `${NEW},${OLD}`
    const changed = createSealer(OLD).seal('whsec_rotated')
    const { resealing } = await runInTransaction(orm, async tx => {
      await tx.execute('update webhook set sealed_secret = ? where uuid = ?', [changed, changing])
      const resealing = run('reseal', ...BY)
      await Promise.race([waitForRowWaiter(), resealing])
      await runInTransaction(orm, other =>
        other.execute('select from connection where uuid = ? for no key update nowait', [uuid]),
      )
      const { sealedCredentials } = await em().findOneOrFail(Connection, uuid, {
        populate: ['sealedCredentials'],
      })
      expect(sealedCredentials).toMatch(/^sealed\.new\./)
      expect(await actsOf('key/new')).toContainEqual(expect.objectContaining({ action: 'reseal' }))
      return { resealing }
    })
    const output = await resealing
    expect(output).toContainEqual(
      expect.objectContaining({ table: 'webhook', column: 'sealed_secret', resealed: 2, left: 1 }),
    )
    expect(output.at(-1)).toEqual({ key_id: 'new', unopened: 0, left: 1 })
    expect(process.exitCode).toBe(1)
    process.exitCode = 0
    expect(await em().findOneOrFail(Webhook, changing)).toMatchObject({ sealedSecret: changed })
    expect((await run('reseal', ...BY)).at(-1)).toEqual({ key_id: 'new', unopened: 0, left: 0 })
  })

  test('a secret that no known key opens is counted, left unchanged, and is a failure', async () => {
    const { uuid, sealedCredentials } = await connection()
    keys = NEW
    expect((await run('reseal', ...BY)).at(-1).unopened).toBeGreaterThan(0)
    expect(process.exitCode).toBe(1)
    process.exitCode = 0
    const now = await em().findOneOrFail(Connection, uuid, { populate: ['sealedCredentials'] })
    expect(now).toMatchObject({ sealedCredentials, secretKeyId: 'old' })
  })

  test('a secret with the newest key’s id that does not open is counted as well', async () => {
    await connection()
    keys = `old:${Buffer.alloc(32, 3).toString('base64')}`
    expect((await run('reseal', ...BY)).at(-1).unopened).toBeGreaterThan(0)
    expect(process.exitCode).toBe(1)
    process.exitCode = 0
  })
})

describe('answers', () => {
  test('are listed by name and by our id, opened with a reason, and resealed with all else', async () => {
    const { uuid: connectionUuid } = await connection()
    const reference = crypto.randomUUID().replaceAll('-', '')
    await storeUnexplainedAnswer(em(), {
      connectionUuid,
      operation: 'sendTransfer',
      reference,
      kind: 'unlisted_refusal',
      status: 422,
      name: 'algo_novo',
      sealedBody: createSealer(OLD).seal('{"nome":"algo_novo"}'),
      isCut: false,
      digest: 'd',
      period: null,
    })
    expect(await run('answers')).toMatchObject([{ name: 'algo_novo', occurrences: '1' }])
    const [listed] = await run('answers', 'list', '--reference', reference)
    expect(listed).toMatchObject({ operation: 'sendTransfer', status: 422 })
    expect(JSON.stringify(listed)).not.toContain('sealed')

    keys = `${NEW},${OLD}`
    await run('reseal', ...BY)
    keys = NEW
    await expect(run('answers', 'show', listed.uuid)).rejects.toThrow(/--reason/)
    expect(await run('answers', 'show', listed.uuid, ...BY)).toMatchObject([{ body: '{"nome":"algo_novo"}' }])
    expect(await actsOf(`answer/${listed.uuid}`)).toMatchObject([{ action: 'open_answer', actor: 'ana' }])
  })
})

describe('pause and resume', () => {
  test('the service, an account, a connection, a provider; list shows running pauses, resume ends one', async () => {
    const { uuid } = await connection()
    await run('pause', 'all', '--reach', 'money-out', ...BY)
    await run('pause', 'account', account, ...BY)
    await run('pause', 'connection', uuid, ...BY)
    await run('pause', 'provider', 'PROVIDER_A', ...BY)
    const listPauses = async () => (await run('pause', 'list')).map(({ of, reach }) => [of, reach])
    expect(await listPauses()).toEqual([
      ['all', 'money_out'],
      [`account/${account}`, 'everything'],
      [`connection/${uuid}`, 'everything'],
      ['provider/PROVIDER_A', 'everything'],
    ])
    expect((await run('pause', 'list'))[0]).toMatchObject({ actor: 'ana', reason: 'a drill' })
    for (const words of [['all'], ['account', account], ['connection', uuid], ['provider', 'PROVIDER_A']]) {
      await run('resume', ...words, ...BY)
      await expect(run('resume', ...words, ...BY)).rejects.toThrow(/no such pause/)
    }
    expect(await listPauses()).toEqual([])
    expect((await actsOf('all')).map(({ action, actor }) => [action, actor])).toEqual([
      ['resume', 'ana'],
      ['pause_money_out', 'ana'],
    ])
  })

  test.each<[what: string, words: string[], why: RegExp]>([
    ['without a reason', ['all'], /--reason/],
    ['of an unknown account', ['account', crypto.randomUUID(), ...BY], /there is no account/],
    ['of an unknown connection', ['connection', crypto.randomUUID(), ...BY], /there is no connection/],
    ['of an unknown provider', ['provider', 'PROVIDER_X', ...BY], /there is no provider/],
    ['of a pause with another scope', ['all', '--reach', 'some', ...BY], /Allowed choices/],
  ])('%s is refused', async (_what, words, why) => {
    await expect(run('pause', ...words)).rejects.toThrow(why)
    expect(await run('pause', 'list')).toEqual([])
  })
})

test('migrate waits for another migrating process, longer than any statement of a request may take', async () => {
  expect(await waitingMigration).toEqual([])
})

/** Migrates while another process does, which takes 11.5 s: started before all other tests, which pass meanwhile. */
async function migrateBesideAnother(): Promise<Line[]> {
  const held = Promise.withResolvers<void>()
  const other = runInTransaction(orm, async em => {
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    await em.execute('select pg_advisory_xact_lock(7013001)')
    held.resolve()
    await pause(11_500)
  })
  await held.promise
  const lines = await run('migrate')
  await other
  return lines
}

test('migrate finds nothing to do; check-ledger finds no violation, and says so', async () => {
  expect(await run('migrate')).toEqual([])
  expect(await run('check-ledger')).toEqual([{ violations: 0 }])
})

test('a command’s database query has no time limit', async () => {
  const ask = `import { createShellEnvironment } from './src/cli/command-context.ts'
    const shell = createShellEnvironment()
    await shell.withContext(async ({ em }) => shell.print(await em.execute('show statement_timeout')))`
  const env = {
    ...readLocalConfig().environment,
    TRILHO_ENVIRONMENT: 'local',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    TRILHO_SECRET_KEY: keys,
  }
  const words = ['--input-type=module', '--eval', ask]
  const cwd = join(import.meta.dirname, '../..')
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd, env })
  expect(JSON.parse(stdout)).toEqual([{ statement_timeout: '0' }])
})

test('check-ledger names a balance that is not the sum of its postings, and fails', async () => {
  const { providerAccountUuid } = await connection()
  await em().execute(
    `update balance set cents = 5 where account_uuid = ? and provider_account_uuid = ? and bucket = 'available'`,
    [account, providerAccountUuid],
  )
  const output = await run('check-ledger')
  expect(output).toEqual([
    expect.objectContaining({
      rule: 'balance_is_fold',
      where: `${account}/${providerAccountUuid}/available`,
    }),
    { violations: 1 },
  ])
  expect(process.exitCode).toBe(1)
  process.exitCode = 0
})

test('check-ledger calls a provider through an ACTIVE connection where one exists', async () => {
  keys = `${OLD},${NEW}` // Some have been sealed anew before.
  const providerAccount = crypto.randomUUID()
  const old = await connection('NOMINAL', { providerAccount })
  await connection('NOMINAL', { providerAccount, baseUrl: mailServer.url })
  mailServer.scriptReplies('GET /v2/gn/saldo', { status: 200, json: { saldo: '0.00' } })
  const wrong = async () => JSON.stringify(await run('check-ledger', '--providers'))
  expect(await wrong()).toContain(old.providerAccountUuid)
  await run('connection', 'status', old.uuid, 'INACTIVE', ...BY)
  expect(await wrong()).not.toContain(old.providerAccountUuid)
  // A connection whose credentials its provider's API cannot parse is reported beside all others.
  await em().execute(`update connection set dialect = 'woovi' where provider_account_uuid = ?`, [
    old.providerAccountUuid,
  ])
  expect(await wrong()).toContain(old.providerAccountUuid)
  process.exitCode = 0
})

test.each(['7d', '0', '-1', 'Infinity', '1e9', ''])('no period of %s hours is reconciled', async hours => {
  await expect(run('reconcile', '--hours', hours)).rejects.toThrow(/Not a positive number of hours/)
})

describe('an invalid value is named before any database query', () => {
  const some = crypto.randomUUID()
  const add = [
    'connection',
    'add',
    some,
    '--provider',
    'PROVIDER_A',
    '--dialect',
    'efi',
    '--credentials',
    'x',
  ]
  test.each<[words: string[], why: RegExp]>([
    [['token', 'issue', some, 'till', '--expires', '2030-02-31'], /--expires <moment>.*Not a date and time/],
    [['token', 'issue', some, 'till', '--expires', '2030-13-01'], /--expires <moment>.*Not a date and time/],
    [
      ['token', 'issue', some, 'till', '--expires', '2020-01-01'],
      /--expires <moment>.*must be in the future/,
    ],
    [['token', 'issue', some, ' '], /'name'.*empty/],
    [['rebuild', '--since', '2999-01-01', ...BY], /--since <moment>.*must be in the past/],
    [['acts', '--limit', 'abc'], /--limit <number>.*Not a whole number/],
    [['acts', '--limit', '0'], /--limit <number>.*Not a whole number/],
    [['account', 'open', '', '11.222.333/0001-81'], /'name'.*empty/],
    [['account', 'defaults', some, some, some], /'connections'.*repeated/],
    [['pause', 'all', '--by', 'ana', '--reason', ''], /--reason <reason>.*empty/],
    [['pause', 'all', '--by', '', '--reason', 'a drill'], /--by <who>.*empty/],
    [
      [...add, '--provider-account', 'x', '--base-url', 'http://localhost:1'],
      /--base-url <url>.*Not an https/,
    ],
    [[...add, '--provider-account', 'x', '--base-url', 'localhost:1'], /--base-url <url>.*Not an https/],
    [
      [...add, '--base-url', 'https://localhost:1', '--provider-account', ''],
      /--provider-account <name>.*empty/,
    ],
  ])('%j', async (words, why) => {
    await expect(run(...words)).rejects.toThrow(why)
    expect(await run('pause', 'list')).toEqual([])
  })

  test('the last day of a February is a day', async () => {
    await run('token', 'issue', account, 'till', '--expires', '2032-02-29')
    expect(await run('token', 'list', account)).toMatchObject([{ expires_at: '2032-02-29T00:00:00.000Z' }])
  })
})

test('the operator of a command is the system user’s name, or its number where it has no name', () => {
  expect(readUserName()).toBe(userInfo().username)
  const unknown = () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  expect(readUserName(unknown)).toBe(`uid ${process.getuid!()}`)
})

test('every command describes itself', async () => {
  for (const command of everyCommand(await createProgram())) expect(command.description()).not.toBe('')
  const output = run('--help').catch((error: CommanderError) => error.code)
  expect(await output).toBe('commander.helpDisplayed')
})
