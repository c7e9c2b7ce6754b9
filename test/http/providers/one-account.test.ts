import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type BankAccount,
  type BankFixture,
  LIVE,
  openBankFixture,
  type Way,
} from '../support/bank-fixture.ts'

describe('one account', () => {
  /** One account at a bank is one provider account, in one mode: no centavo of it is available twice. */

  let fixture: BankFixture
  let { x, y, sql, sealer, bankAccounts, openBankAccount, connect, sumAvailable } = {} as BankFixture
  beforeAll(async () => {
    fixture = await openBankFixture()
    ;({ x, y, sql, sealer, bankAccounts, openBankAccount, connect, sumAvailable } = fixture)
  })
  afterAll(() => fixture?.close())

  describe('every pair of provider, name, owner and mode', () => {
    const listWays = (prefix: string) =>
      (['PROVIDER_A', 'PROVIDER_C'] as const).flatMap(provider =>
        ['one', 'two'].flatMap(name =>
          [x, y].flatMap(owner =>
            [false, true].map(isSimulated => ({ provider, name: prefix + name, owner, isSimulated })),
          ),
        ),
      )
    /** The first of these ways alone: the others differ from it by their names only. */
    const isFirstNamed = ({ provider, name, owner }: Omit<Way, 'type'>) =>
      provider === 'PROVIDER_A' && name.endsWith('one') && owner === x

    test.each([
      { dialect: 'efi', firstType: 'NOMINAL', secondType: 'NOMINAL', isSame: true, isFull: true },
      { dialect: 'efi', firstType: 'NOMINAL', secondType: 'NOMINAL', isSame: false, isFull: false },
      { dialect: 'woovi', firstType: 'NOMINAL', secondType: 'NOMINAL', isSame: true, isFull: false },
      { dialect: 'woovi', firstType: 'NOMINAL', secondType: 'POOL', isSame: true, isFull: false },
      { dialect: 'woovi', firstType: 'NOMINAL', secondType: 'POOL', isSame: false, isFull: false },
      { dialect: 'efi', firstType: 'POOL', secondType: 'NOMINAL', isSame: true, isFull: false },
      { dialect: 'efi', firstType: 'POOL', secondType: 'NOMINAL', isSame: false, isFull: false },
      { dialect: 'efi', firstType: 'POOL', secondType: 'POOL', isSame: true, isFull: false },
      { dialect: 'woovi', firstType: 'POOL', secondType: 'POOL', isSame: false, isFull: false },
    ] as const)(
      'makes nothing available twice: $dialect, $firstType and $secondType, same account: $isSame',
      async ({ dialect, firstType, secondType, isSame, isFull }) => {
        const wrong: object[] = []
        const pairs = listWays('').flatMap(first =>
          isFull || isFirstNamed(first) ? listWays('').map(second => [first, second] as const) : [],
        )
        expect(pairs).toHaveLength(isFull ? 256 : 32)
        for (const [first, second] of pairs) {
          const prefix = `${randomUUID()}-`
          const one: Way = { ...first, name: prefix + first.name, type: firstType }
          const other: Way = { ...second, name: prefix + second.name, type: secondType }
          const bank = openBankAccount({ dialect })
          const otherBank = isSame ? bank : openBankAccount({ dialect, cents: 700 })
          const refusals = [await connect(bank, one), await connect(otherBank, other, { joins: true })]
          const isSamePlace =
            one.provider === other.provider &&
            one.name === other.name &&
            one.isSimulated === other.isSimulated
          const isOwner = firstType === 'NOMINAL' && one.owner === other.owner
          const isAllowed = isSame ? isSamePlace && (secondType === 'POOL' || isOwner) : !isSamePlace
          const expected = { live: 0, test: 0 }
          expected[one.isSimulated ? 'test' : 'live'] += 50_000
          if (isAllowed && !isSame) expected[other.isSimulated ? 'test' : 'live'] += 700
          const available = await sumAvailable([`${prefix}one`, `${prefix}two`])
          const result = [refusals[0] === null, refusals[1] === null, available]
          if (JSON.stringify(result) !== JSON.stringify([true, isAllowed, expected]))
            wrong.push({ one, other, refusals, isAllowed, available, expected })
        }
        expect(wrong).toEqual([])
      },
    )
  })

  describe('a connection is refused in one line', () => {
    /** Connects the account at a bank first as this merchant's own live one. */
    async function connectedShop(account: Partial<BankAccount> = {}) {
      const id = openBankAccount(account)
      const way: Way = { ...LIVE, owner: x, name: `shop ${randomUUID()}` }
      expect(await connect(id, way)).toBeNull()
      return { id, way }
    }

    test.each<[what: string, change: Partial<Way>, refusal: string]>([
      [
        'under another provider',
        { provider: 'PROVIDER_C' },
        'provider_account: is one account with PROVIDER_A "<name>", which is connected already: to share its money, connect it under that provider and name',
      ],
      [
        'under another spelling',
        { name: 'Shop' },
        'provider_account: is one account with PROVIDER_A "<name>", which is connected already: to share its money, connect it under that provider and name',
      ],
      [
        'as a simulator too',
        { isSimulated: true },
        'simulated: must not be given: the account is connected as a real one, PROVIDER_A "<name>", and is never a simulator as well',
      ],
      [
        'without saying that its money is shared',
        { type: 'POOL', owner: 'y' },
        'join: must be given on purpose: the account is connected already and holds the money of Loja X (NOMINAL)',
      ],
      [
        'a second time by its owner, without saying so',
        {},
        'join: must be given on purpose: the account is connected already and holds the money of Loja X (NOMINAL)',
      ],
      [
        'in the name of another merchant',
        { owner: 'y' },
        'type: must be POOL: the account at the provider is in the name of Loja X',
      ],
    ])('that connects the account at the bank %s', async (_, change, refusal) => {
      const { id, way } = await connectedShop()
      const owner = change.owner === 'y' ? y : x
      expect(await connect(id, { ...way, ...change, owner })).toBe(refusal.replace('<name>', way.name))
    })

    test('that gives another account the name of a connected one, whoever owns it', async () => {
      const { way } = await connectedShop()
      for (const [owner, type] of [
        [x, 'NOMINAL'],
        [y, 'POOL'],
      ] as const)
        expect(await connect(openBankAccount(), { ...way, owner, type }, { joins: true })).toBe(
          'provider_account: is the name of another account at PROVIDER_A, or of one that is not proved to be the same: to connect another account, give it a name of its own',
        )
      expect(await sumAvailable([way.name])).toEqual({ live: 50_000, test: 0 })
    })

    test('in the name of a merchant where the account is shared', async () => {
      const id = openBankAccount()
      const way: Way = { ...LIVE, owner: x, name: randomUUID(), type: 'POOL' }
      expect(await connect(id, way)).toBeNull()
      expect(await connect(id, { ...way, type: 'NOMINAL' }, { joins: true })).toBe(
        'type: must be POOL: the account at the provider is shared',
      )
    })

    test('to an account whose random keys were all replaced, under its name, once it is read again', async () => {
      const { id, way } = await connectedShop({ dialect: 'efi' })
      bankAccounts.get(id)!.identity = { kind: 'found', keys: [randomUUID()] }
      expect(await connect(id, way)).toMatch(/^join: /)
      expect(await connect(id, way, { joins: true })).toBeNull()
      expect(await connect(id, { ...way, name: 'other' })).toMatch(/^provider_account: is one account with/)
    })

    test.each<[what: string, insert: (key: string, name: string) => Promise<unknown>]>([
      [
        'a key that was created here',
        (key, name) =>
          sql(
            `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
             request_id, fingerprint, created_at, updated_at)
           select gen_random_uuid(), c.account_uuid, c.uuid, p.uuid, false, 'RANDOM', ?, 'active', 'r', 'f', now(), now()
           from provider_account p join connection c on c.provider_account_uuid = p.uuid where p.name = ?`,
            [key, name],
          ),
      ],
      [
        'a key that collects',
        (key, name) =>
          sql(
            `update connection set collection_key = ? where provider_account_uuid = (
             select uuid from provider_account where name = ?)`,
            [key, name],
          ),
      ],
    ])('that is known by %s only', async (_, insert) => {
      const { id, way } = await connectedShop({ dialect: 'efi' })
      const key = randomUUID()
      bankAccounts.get(id)!.identity = { kind: 'found', keys: [key] }
      await insert(key, way.name)
      expect(await connect(id, { ...way, name: randomUUID() })).toMatch(
        /^provider_account: is one account with/,
      )
    })

    test('whose random keys were all replaced and whose access token names the same account', async () => {
      const code = 'bank.test a1'
      const identify = (): BankAccount['identity'] => ({ kind: 'found', keys: [randomUUID()], code })
      const { id, way } = await connectedShop({ dialect: 'efi', identity: identify() })
      bankAccounts.get(id)!.identity = identify()
      expect(await connect(id, { ...way, name: randomUUID() })).toMatch(
        /^provider_account: is one account with/,
      )
    })

    test('of two that connect an account at the same time, under two names', async () => {
      const id = openBankAccount()
      const names = [randomUUID(), randomUUID()]
      const refusals = await Promise.all(names.map(name => connect(id, { ...LIVE, owner: x, name })))
      expect(refusals.filter(refusal => refusal === null)).toHaveLength(1)
      expect(await sumAvailable(names)).toEqual({ live: 50_000, test: 0 })
    })

    test.each<[what: string, identity: BankAccount['identity'], refusal: RegExp]>([
      [
        'has no random key',
        { kind: 'found', keys: [] },
        /^credentials: are of an account without a random PIX key/,
      ],
      [
        'is refused',
        { kind: 'no_answer', code: 'no_token', message: 'invalid client' },
        /^credentials: were refused by the provider: invalid client$/,
      ],
      [
        'does not answer',
        { kind: 'no_answer', code: 'timeout', message: 'no answer in time' },
        /^base_url: must be an address at which the provider answers \(no answer in time\)$/,
      ],
      [
        'lacks a scope',
        { kind: 'no_answer', code: 'provider_denied', message: 'scope not granted' },
        /^credentials: do not identify .*lack a permission \(scope not granted\); needed are .*gn\.pix\.evp\.read/,
      ],
    ])('to an account that %s, and nothing is stored', async (_, identity, refusal) => {
      const name = randomUUID()
      expect(
        await connect(openBankAccount({ dialect: 'efi', identity }), { ...LIVE, owner: x, name }),
      ).toMatch(refusal)
      expect(await sql('select from provider_account where name = ?', [name])).toEqual([])
    })

    test('that would end the notifications of another system, until it is told to replace them', async () => {
      const strangerUrl = 'https://shop.example/efi?token=secret'
      const id = openBankAccount({ dialect: 'efi', webhook: strangerUrl })
      const way: Way = { ...LIVE, owner: x, name: randomUUID() }
      expect(await connect(id, way)).toBe(
        `replace_webhook: must be given on purpose: the provider notifies ${strangerUrl} for this PIX key now, and would no longer do so`,
      )
      expect(bankAccounts.get(id)!.webhook).toBe(strangerUrl)
      expect(await sql('select from provider_account where name = ?', [way.name])).toEqual([])

      expect(await connect(id, way, { replacesWebhook: true })).toBeNull()
      expect(bankAccounts.get(id)!.webhook).toMatch(/^https:\/\/pix\.test\/provider-notifications\//)
      const [row] = await sql<{ url: string }>(
        `select sealed_replaced_url as url from connection where provider_account_uuid = (
         select uuid from provider_account where name = ?)`,
        [way.name],
      )
      expect(sealer.open(row!.url)).toBe(strangerUrl)
      // A URL of ours is replaced by another one of ours.
      expect(await connect(id, { ...way, type: 'POOL', owner: y }, { joins: true })).toBeNull()
    })
  })
})

describe('one account constraints', () => {
  /** PostgreSQL refuses by itself what would mix modes, owners or accounts at banks. */

  let fixture: BankFixture
  let { x, y, sql, openBankAccount, connect } = {} as BankFixture
  type Place = { provider_account_uuid: string; connection_uuid: string; account_uuid: string }
  let live: Place
  let simulated: Place

  async function place(change: Partial<Way> = {}): Promise<Place> {
    const name = randomUUID()
    expect(await connect(openBankAccount(), { ...LIVE, owner: x, name, ...change })).toBeNull()
    const [row] = await sql<Place>(
      `select p.uuid as provider_account_uuid, c.uuid as connection_uuid, c.account_uuid
       from provider_account p join connection c on c.provider_account_uuid = p.uuid where p.name = ?`,
      [name],
    )
    return row!
  }
  beforeAll(async () => {
    fixture = await openBankFixture()
    ;({ x, y, sql, openBankAccount, connect } = fixture)
    live = await place()
    simulated = await place({ isSimulated: true })
  })

  afterAll(() => fixture?.close())

  const copyConnection = (changes: Record<string, string>) => {
    const columns = [
      ...['account_uuid', 'provider_account_uuid', 'provider', 'dialect', 'type', 'status', 'is_simulated'],
      ...['base_url', 'sealed_credentials', 'secret_key_id', 'fees'],
    ]
    return `insert into connection (uuid, ${columns.join(', ')})
      select gen_random_uuid(), ${columns.map(column => changes[column] ?? column).join(', ')} from connection where uuid = ?`
  }

  test.each<[what: string, constraint: string, statement: () => [string, unknown[]]]>([
    [
      'a simulated connection to a live account',
      'connection_mode',
      () => [copyConnection({ is_simulated: 'true' }), [live.connection_uuid]],
    ],
    [
      'that a connection becomes live',
      'connection_mode',
      () => ['update connection set is_simulated = false where uuid = ?', [simulated.connection_uuid]],
    ],
    [
      'that an account becomes simulated',
      'connection_mode',
      () => ['update provider_account set is_simulated = true where uuid = ?', [live.provider_account_uuid]],
    ],
    [
      'a connection by another provider',
      'connection_mode',
      () => [copyConnection({ provider: `'PROVIDER_C'` }), [live.connection_uuid]],
    ],
    [
      'another merchant’s connection in its own name',
      'connection_owner',
      () => [copyConnection({ account_uuid: `'${y}'` }), [live.connection_uuid]],
    ],
    [
      'that the owner changes under a connection',
      'connection_owner',
      () => ['update provider_account set owner_uuid = ? where uuid = ?', [y, live.provider_account_uuid]],
    ],
    [
      'a second account of one identity',
      'provider_account_identity_once',
      () => [
        `insert into provider_account_identity (dialect, hash, provider_account_uuid)
         select dialect, hash, ? from provider_account_identity where provider_account_uuid = ?`,
        [simulated.provider_account_uuid, live.provider_account_uuid],
      ],
    ],
    [
      'a movement through a connection to another account',
      'movement_connection',
      () => [
        `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
           status, created_at, updated_at)
         values (gen_random_uuid(), ?, ?, ?, 'EXTERNAL_TRANSFER', 'IN', 100, 'PENDING', now(), now())`,
        [x, live.provider_account_uuid, simulated.connection_uuid],
      ],
    ],
    [
      'a posting at another account than its movement',
      'another provider account than its movement',
      () => [
        `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
         select uuid, account_uuid, ?, type, 'available', 100, 100 from movement where provider_account_uuid = ?`,
        [live.provider_account_uuid, simulated.provider_account_uuid],
      ],
    ],
    [
      'a charge through a connection to another account',
      'charge_connection',
      () => [
        `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
           payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
         values (gen_random_uuid(), ?, ?, ?, 'issuing', 100, 100, gen_random_uuid(), 3600, 'r', 'f', now(), now())`,
        [x, live.connection_uuid, simulated.provider_account_uuid],
      ],
    ],
    [
      'a transfer through a connection to another account',
      'transfer_connection',
      () => [
        `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
           request_id, fingerprint, created_at, updated_at)
         values (gen_random_uuid(), ?, ?, ?, 'created', 100, 'maria@example.com', 'r', 'f', now(), now())`,
        [x, live.connection_uuid, simulated.provider_account_uuid],
      ],
    ],
  ])('%s', async (_, constraint, statement) => {
    await expect(sql(...statement())).rejects.toThrow(constraint)
  })
})
