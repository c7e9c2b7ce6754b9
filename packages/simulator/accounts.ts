import type { ProviderApi, ProviderName } from '../../src/domain/providers/provider.ts'
import type { IdGenerator } from './ids.ts'
import { detectKeyKind } from './pix-key.ts'
import type { SimulatorStore } from './store.ts'

/** An account at a simulated provider, as stored: SQLite has 0 and 1 for booleans. */
export type SimulatedAccount = {
  id: string
  provider: ProviderName
  /** The provider API that serves the account. */
  dialect: ProviderApi
  /** Stark: the id of the project, `<id>` in `Access-Id: project/<id>`, or the whole Access-Id of an organization. */
  clientId: string
  /** Stark: the caller's public key, SPKI as PEM, by which its requests are verified. */
  clientSecret: string
  holderName: string
  holderDocument: string
  city: string
  ispb: string
  requiresCertificate: 0 | 1
  /** 1: the amount of a charge, transfer or refund decides its outcome, as in Efí's sandbox. */
  amountMagic: 0 | 1
  /** Secret that signs the account's notifications, for provider APIs that sign. */
  notificationSecret: string | null
  /** JSON of the options of `account-options.ts` (`readAccountOptions`). */
  options: string
  openingCents: number
  balanceCents: number
  /** Not part of the balance: transfers and refunds in process. */
  heldCents: number
  /** Not part of the balance: disputes and court orders. */
  blockedCents: number
}

/** Account fields that the control API sets; `openingCents` applies only when the account is created. */
export type SimulatedAccountSettings = Omit<
  SimulatedAccount,
  'balanceCents' | 'heldCents' | 'blockedCents'
> & {
  keys: string[]
}

export type SimulatedAccounts = {
  /** Creates or changes an account. Its configured keys become exactly `settings.keys`; keys from its API are kept. */
  put(settings: SimulatedAccountSettings): PutAccountResult
  find(id: string): SimulatedAccount | undefined
  findByClient(provider: ProviderName, clientId: string): SimulatedAccount | undefined
  listByProvider(provider: ProviderName): SimulatedAccount[]
  findByKey(key: string): SimulatedAccount | undefined
  listKeys(id: string): string[]
  listRandomKeys(id: string): string[]
  addRandomKey(id: string): string
  /** Registers a key chosen by its owner; false if any account has it. */
  registerKey(id: string, key: string): boolean
  /** Tells whether DICT's limit allows the account another key. */
  canAddKey(account: SimulatedAccount): boolean
  /** Removes a random key; false if the account does not have it. */
  removeRandomKey(id: string, key: string): boolean
  /** Removes a key of any kind; false if the account does not have it. */
  removeKey(id: string, key: string): boolean
}

type PutAccountResult =
  | { kind: 'stored'; account: SimulatedAccount }
  | { kind: 'key_already_registered'; key: string }
  | { kind: 'client_id_in_use' }

type AccountDependencies = { store: SimulatorStore; ids: IdGenerator; now: () => Date }
/** Origin of a key: the account's settings, created at random by the provider, or registered through its API. */
type KeyKind = 'configured' | 'random' | 'registered'

/** DICT's limits of keys for a natural and a legal person (DICT API 2.12.1). */
const MAX_KEYS = { person: 5, company: 20 }

export function simulateAccounts({ store, ids, now }: AccountDependencies): SimulatedAccounts {
  const addKey = (key: string, accountId: string, kind: KeyKind) =>
    store.insert('pixKey', { key, accountId, kind, createdAt: now().toISOString() })

  const findByClient = (provider: ProviderName, clientId: string) =>
    store.first<SimulatedAccount>(
      'SELECT * FROM account WHERE provider = ? AND clientId = ?',
      provider,
      clientId,
    )

  return {
    put: settings =>
      store.inTransaction(() => {
        const conflictingKey = settings.keys.find(key => findOtherOwner(store, key, settings.id))
        if (conflictingKey) return { kind: 'key_already_registered', key: conflictingKey }
        const clientAccount = findByClient(settings.provider, settings.clientId)
        if (clientAccount && clientAccount.id !== settings.id) return { kind: 'client_id_in_use' }
        writeAccount(store, settings)
        store.run(`DELETE FROM pixKey WHERE accountId = ? AND kind = 'configured'`, settings.id)
        for (const key of new Set(settings.keys)) addKey(key, settings.id, 'configured')
        return { kind: 'stored', account: findAccount(store, settings.id)! }
      }),
    find: id => findAccount(store, id),
    findByClient,
    listByProvider: provider =>
      store.all<SimulatedAccount>('SELECT * FROM account WHERE provider = ? ORDER BY rowid', provider),
    findByKey: key =>
      store.first<SimulatedAccount>(
        'SELECT account.* FROM account JOIN pixKey ON accountId = id WHERE key = ?',
        key,
      ),
    listKeys: id =>
      store
        .all<{ key: string }>('SELECT key FROM pixKey WHERE accountId = ? ORDER BY kind, createdAt, key', id)
        .map(row => row.key),
    listRandomKeys: id =>
      store
        .all<{ key: string }>(
          `SELECT key FROM pixKey WHERE accountId = ? AND (kind = 'random' OR kind = 'configured') ORDER BY createdAt, key`,
          id,
        )
        .map(row => row.key)
        .filter(key => detectKeyKind(key) === 'RANDOM'),
    addRandomKey: id => {
      const key = ids.evpKey()
      addKey(key, id, 'random')
      return key
    },
    registerKey: (id, key) => {
      if (store.first('SELECT key FROM pixKey WHERE key = ?', key)) return false
      addKey(key, id, 'registered')
      return true
    },
    canAddKey: ({ id, holderDocument }) => {
      const { keys } = store.first<{ keys: number }>(
        'SELECT count(*) AS keys FROM pixKey WHERE accountId = ?',
        id,
      )!
      return keys < (holderDocument.length === 11 ? MAX_KEYS.person : MAX_KEYS.company)
    },
    removeRandomKey: (id, key) =>
      store.run(`DELETE FROM pixKey WHERE accountId = ? AND key = ? AND kind = 'random'`, id, key) === 1,
    removeKey: (id, key) => store.run('DELETE FROM pixKey WHERE accountId = ? AND key = ?', id, key) === 1,
  }
}

function findAccount(store: SimulatorStore, id: string): SimulatedAccount | undefined {
  return store.first<SimulatedAccount>('SELECT * FROM account WHERE id = ?', id)
}

/** Finds the account that has the key, other than as a configured key of `accountId`. */
function findOtherOwner(store: SimulatorStore, key: string, accountId: string): string | undefined {
  return store.first<{ accountId: string }>(
    `SELECT accountId FROM pixKey WHERE key = ? AND (accountId <> ? OR kind <> 'configured')`,
    key,
    accountId,
  )?.accountId
}

function writeAccount(store: SimulatorStore, { keys: _, ...settings }: SimulatedAccountSettings): void {
  const { openingCents, ...changeable } = settings
  if (!findAccount(store, settings.id)) {
    store.insert('account', { ...settings, balanceCents: openingCents, heldCents: 0 })
    return
  }
  const columns = Object.keys(changeable).map(column => `${column} = ?`)
  store.run(`UPDATE account SET ${columns} WHERE id = ?`, ...Object.values(changeable), settings.id)
}
