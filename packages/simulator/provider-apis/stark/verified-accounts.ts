import { SIMULATOR_WAITS_MS } from '../../latency.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatorStore } from '../../store.ts'
import { findKeyOwner } from './dict-keys.ts'
import * as errors from './errors.ts'
import { buildStarkId, formatStarkTime, formatTaxId, parseStarkId } from './ids.ts'
import { buildStarkListPage } from './list-page.ts'
import { isPixKey, normalizeKey, parseStarkBody, verifiedAccountBody } from './schemas.ts'

/** A receiver whose account or key the bank compares with its owner's document before any transfer. */
export type StarkVerifiedAccount = {
  number: number
  accountId: string
  /** CPF or CNPJ without punctuation. */
  taxId: string
  /** Null of an account. */
  key: string | null
  /** `bankCode`, `branchCode`, `number`, `name` and `type`, JSON; of a key empty. */
  bank: string
  /** JSON list. */
  tags: string
  /** Status from `verifiedAt` on. */
  plannedStatus: 'active' | 'failed'
  verifiedAt: string
  isCanceled: 0 | 1
  createdAt: string
}

type StarkVerifiedAccountHandlers = Record<
  'create' | 'list' | 'show' | 'cancel',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of verified accounts, `/verified-account`: `processing` at first, then `active` or `failed`. */
export function createStarkVerifiedAccountHandlers(state: SimulatorState): StarkVerifiedAccountHandlers {
  const { store, now } = state
  const present = (one: StarkVerifiedAccount) => presentVerifiedAccount(one, now())
  const find = ({ account, params }: SimulatedCall) => findVerifiedAccount(store, account.id, params.id!)
  return {
    create: (call, outcome) => createVerifiedAccounts(state, call, outcome),
    list: call =>
      buildStarkListPage(call, {
        field: 'accounts',
        list: () =>
          store
            .all<StarkVerifiedAccount>(
              'SELECT * FROM starkVerifiedAccount WHERE accountId = ? ORDER BY number',
              call.account.id,
            )
            .map(one => ({
              id: buildStarkId('verifiedAccount', one.number),
              createdAt: one.createdAt,
              tags: JSON.parse(one.tags) as string[],
              status: findVerifiedStatus(one, now()),
              one,
            })),
        present: ({ one }) => present(one),
      }),
    show: call => {
      const one = find(call)
      return one ? { status: 200, body: { account: present(one) } } : errors.starkNotFound('VerifiedAccount')
    },
    cancel: call => {
      const one = find(call)
      if (!one) return errors.starkNotFound('VerifiedAccount')
      store.run('UPDATE starkVerifiedAccount SET isCanceled = 1 WHERE number = ?', one.number)
      return { status: 200, body: { account: present({ ...one, isCanceled: 1 }) } }
    },
  }
}

export function findVerifiedAccount(
  store: SimulatorStore,
  accountId: string,
  id: string,
): StarkVerifiedAccount | undefined {
  return store.first<StarkVerifiedAccount>(
    'SELECT * FROM starkVerifiedAccount WHERE accountId = ? AND number = ?',
    accountId,
    parseStarkId('verifiedAccount', id),
  )
}

export function findVerifiedStatus(
  { isCanceled, verifiedAt, plannedStatus }: StarkVerifiedAccount,
  now: Date,
): 'processing' | 'active' | 'failed' | 'canceled' {
  if (isCanceled) return 'canceled'
  return verifiedAt <= now.toISOString() ? plannedStatus : 'processing'
}

/** Creates verified accounts; one whose document is not that of the key's owner fails later. */
function createVerifiedAccounts(
  { accounts, store, now, scaleWaitMs }: SimulatorState,
  { account, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const parsed = parseStarkBody(verifiedAccountBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const orders = parsed.value.accounts.map(({ taxId, tags, ...target }) => {
    const { keyId, ...bank } = 'keyId' in target ? target : { ...target, keyId: null }
    return { taxId, tags, bank, key: keyId === null ? null : normalizeKey(keyId) }
  })
  if (orders.some(({ key }) => key !== null && !isPixKey(key))) return errors.keyUnknown()
  const verifyMs = outcome.kind === 'silent' ? outcome.forMs : scaleWaitMs(SIMULATOR_WAITS_MS.settle)
  const created = store.inTransaction(() =>
    orders.map(({ taxId, tags, bank, key }) => {
      const owner = key === null ? null : findKeyOwner(accounts, key).document
      const isOwner = owner === null || owner === taxId
      const one: Omit<StarkVerifiedAccount, 'number'> = {
        accountId: account.id,
        taxId,
        key,
        bank: JSON.stringify(bank),
        tags: JSON.stringify(tags),
        plannedStatus: isOwner && outcome.kind !== 'rejected' ? 'active' : 'failed',
        verifiedAt: new Date(now().getTime() + verifyMs).toISOString(),
        isCanceled: 0,
        createdAt: now().toISOString(),
      }
      const number = store.nextCount('starkVerifiedAccount')
      store.insert('starkVerifiedAccount', { number, ...one })
      return { number, ...one }
    }),
  )
  return {
    status: 200,
    body: {
      message: 'VerifiedAccount(s) successfully created',
      accounts: created.map(one => ({ ...presentVerifiedAccount(one, now()), status: 'processing' })),
    },
  }
}

/** Presents a verified account. Of a key the fields of a bank account are empty: no text says what Stark shows there. */
function presentVerifiedAccount(one: StarkVerifiedAccount, now: Date) {
  const emptyBank = { bankCode: '', branchCode: '', name: '', number: '', type: '' }
  const updatedAt = one.verifiedAt <= now.toISOString() ? one.verifiedAt : one.createdAt
  return {
    id: buildStarkId('verifiedAccount', one.number),
    taxId: formatTaxId(one.taxId),
    keyId: one.key ?? '',
    ...emptyBank,
    ...(JSON.parse(one.bank) as object),
    bankName: 'Banco de Teste',
    tags: JSON.parse(one.tags) as string[],
    status: findVerifiedStatus(one, now),
    created: formatStarkTime(one.createdAt),
    updated: formatStarkTime(updatedAt),
  }
}
