import { pixKeyType } from '../domain/pix-key.ts'
import type { Dialect, ProviderName } from '../domain/provider.ts'
import type { Ids } from './ids.ts'
import type { Store } from './store.ts'

/** An account at a simulated provider; SQLite's truth is 0 or 1. */
export type Account = {
  id: string
  provider: ProviderName
  /** Which provider's published API it is reached by. */
  dialect: Dialect
  clientId: string
  clientSecret: string
  holderName: string
  holderDocument: string
  city: string
  ispb: string
  requiresCertificate: 0 | 1
  /** The value decides what happens, as in Efí's sandbox. */
  amountMagic: 0 | 1
  /** Signs notices in dialects that do. */
  noticeSecret: string | null
  openingCents: number
  balanceCents: number
  /** Taken from the balance for what is still in process. */
  heldCents: number
  /** Taken from the balance for disputes. */
  blockedCents: number
}

/** What the control API sets; `openingCents` counts only the first time. */
export type AccountSettings = Omit<Account, 'balanceCents' | 'heldCents' | 'blockedCents'> & {
  keys: string[]
}

export type Accounts = {
  /** Makes or changes an account and gives it exactly these keys besides its random ones. */
  put(settings: AccountSettings): Stored
  find(id: string): Account | undefined
  ofClient(provider: ProviderName, clientId: string): Account | undefined
  ofProvider(provider: ProviderName): Account[]
  ofKey(key: string): Account | undefined
  keysOf(id: string): string[]
  randomKeysOf(id: string): string[]
  addRandomKey(id: string): string
  /** A key its owner chose; false where it is taken, by whomever. */
  register(id: string, key: string): boolean
  /** Whether DICT lets the account have another key. */
  mayHaveAnother(account: Account): boolean
  /** False where the account has no such random key. */
  removeRandomKey(id: string, key: string): boolean
  /** False where the account has no such key. */
  removeKey(id: string, key: string): boolean
}

type Stored =
  | { kind: 'stored'; account: Account }
  | { kind: 'key_taken'; key: string }
  | { kind: 'client_id_taken' }

type Parts = { store: Store; ids: Ids; now: () => Date }
/** Given with the account's settings, made by the provider, or registered through its API. */
type KeyKind = 'given' | 'random' | 'registered'

/** DICT: a natural person has at most five keys, a legal one twenty (DICT API 2.12.1). */
const MOST_KEYS = { person: 5, company: 20 }

export function accountsOf({ store, ids, now }: Parts): Accounts {
  const addKey = (key: string, accountId: string, kind: KeyKind) =>
    store.insert('pixKey', { key, accountId, kind, createdAt: now().toISOString() })

  const ofClient = (provider: ProviderName, clientId: string) =>
    store.one<Account>('SELECT * FROM account WHERE provider = ? AND clientId = ?', provider, clientId)

  return {
    put: settings =>
      store.atomically(() => {
        const taken = settings.keys.find(key => ownerOf(store, key, settings.id))
        if (taken) return { kind: 'key_taken', key: taken }
        const namesake = ofClient(settings.provider, settings.clientId)
        if (namesake && namesake.id !== settings.id) return { kind: 'client_id_taken' }
        write(store, settings)
        store.run(`DELETE FROM pixKey WHERE accountId = ? AND kind = 'given'`, settings.id)
        for (const key of new Set(settings.keys)) addKey(key, settings.id, 'given')
        return { kind: 'stored', account: find(store, settings.id)! }
      }),
    find: id => find(store, id),
    ofClient,
    ofProvider: provider =>
      store.all<Account>('SELECT * FROM account WHERE provider = ? ORDER BY rowid', provider),
    ofKey: key =>
      store.one<Account>('SELECT account.* FROM account JOIN pixKey ON accountId = id WHERE key = ?', key),
    keysOf: id =>
      store
        .all<{ key: string }>('SELECT key FROM pixKey WHERE accountId = ? ORDER BY kind, createdAt, key', id)
        .map(row => row.key),
    randomKeysOf: id =>
      store
        .all<{ key: string }>(
          `SELECT key FROM pixKey WHERE accountId = ? AND (kind = 'random' OR kind = 'given') ORDER BY createdAt, key`,
          id,
        )
        .map(row => row.key)
        .filter(key => pixKeyType(key) === 'RANDOM'),
    addRandomKey: id => {
      const key = ids.evpKey()
      addKey(key, id, 'random')
      return key
    },
    register: (id, key) => {
      if (store.one('SELECT key FROM pixKey WHERE key = ?', key)) return false
      addKey(key, id, 'registered')
      return true
    },
    mayHaveAnother: ({ id, holderDocument }) => {
      const { keys } = store.one<{ keys: number }>(
        'SELECT count(*) AS keys FROM pixKey WHERE accountId = ?',
        id,
      )!
      return keys < (holderDocument.length === 11 ? MOST_KEYS.person : MOST_KEYS.company)
    },
    removeRandomKey: (id, key) =>
      store.run(`DELETE FROM pixKey WHERE accountId = ? AND key = ? AND kind = 'random'`, id, key) === 1,
    removeKey: (id, key) => store.run('DELETE FROM pixKey WHERE accountId = ? AND key = ?', id, key) === 1,
  }
}

function find(store: Store, id: string): Account | undefined {
  return store.one<Account>('SELECT * FROM account WHERE id = ?', id)
}

/** Whoever else has the key. */
function ownerOf(store: Store, key: string, accountId: string): string | undefined {
  return store.one<{ accountId: string }>(
    `SELECT accountId FROM pixKey WHERE key = ? AND (accountId <> ? OR kind <> 'given')`,
    key,
    accountId,
  )?.accountId
}

function write(store: Store, { keys: _, ...settings }: AccountSettings): void {
  const { openingCents, ...changeable } = settings
  if (!find(store, settings.id)) {
    store.insert('account', { ...settings, balanceCents: openingCents, heldCents: 0 })
    return
  }
  const columns = Object.keys(changeable).map(column => `${column} = ?`)
  store.run(`UPDATE account SET ${columns} WHERE id = ?`, ...Object.values(changeable), settings.id)
}
