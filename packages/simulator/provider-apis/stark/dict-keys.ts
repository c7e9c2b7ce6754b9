import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import { lookUpDictKey } from '../../dict-look-ups.ts'
import { findKeyHolder } from '../../key-holder.ts'
import { CHANGING_KEY, DEFAULT_RECIPIENT_DOCUMENT, NEXT_RECIPIENT } from '../../magic-recipients.ts'
import { detectDocumentKind, detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { PAYER_BANK_ISPB } from '../../receipts.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { formatStarkTime, formatTaxId } from './ids.ts'
import { buildStarkListPage } from './list-page.ts'
import { isPixKey, normalizeKey } from './schemas.ts'

/** The owner of a PIX key; `document` null: a key of no simulated account, which belongs to whom the caller names. */
type KeyOwner = { name: string; document: string | null; ispb: string }

export function findKeyOwner(accounts: SimulatedAccounts, key: string): KeyOwner {
  const holder = accounts.findByKey(key)
  const keyDocument = detectDocumentKind(key) ? key : null
  const knownDocument = key === CHANGING_KEY ? NEXT_RECIPIENT.document : keyDocument
  return {
    name: findKeyHolder(accounts, key).name,
    document: holder?.holderDocument ?? knownDocument,
    ispb: holder?.ispb ?? PAYER_BANK_ISPB,
  }
}

/** Creates the handlers of keys, `/dict-key`: the look-up of any key, and the list of the account's own. */
export function createStarkKeyHandlers(
  state: SimulatorState,
): Record<'show' | 'list', (call: SimulatedCall) => SimulatedResponse> {
  const { accounts, store } = state
  return {
    /** A formatted CNPJ has a slash, which divides the path. */
    show: ({ account, params }) => {
      const key = normalizeKey([params.id, params.rest].filter(Boolean).join('/'))
      if (!isPixKey(key)) return errors.keyUnknown()
      return state.store.inTransaction(() => {
        const answer = lookUpDictKey(state, account, key)
        if (answer.kind === 'exhausted') return errors.starkFailures.tooManyRequests()
        // No text says how a key that is marked for fraud is answered.
        if (answer.kind !== 'found') return errors.keyUnknown()
        const owner = { ...findKeyOwner(accounts, key), ...answer.owner }
        return { status: 200, body: { key: presentKey(key, { account, owner }) } }
      })
    },
    list: call =>
      buildStarkListPage(call, {
        field: 'keys',
        list: () =>
          store
            .all<{ key: string; createdAt: string }>(
              'SELECT key, createdAt FROM pixKey WHERE accountId = ? ORDER BY createdAt, key',
              call.account.id,
            )
            .map(({ key, createdAt }) => ({ id: key, createdAt, status: 'registered' })),
        present: ({ id: key, createdAt }) => ({
          ...presentKey(key, { account: call.account, owner: findKeyOwner(accounts, key) }),
          created: formatStarkTime(createdAt),
        }),
      }),
  }
}

const KEY_TYPES = { CPF: 'cpf', CNPJ: 'cnpj', EMAIL: 'email', PHONE: 'phone', RANDOM: 'evp' } as const

/** Presents a key; branch and account are "encrypted", and `POST /transfer` takes them back. */
function presentKey(key: string, { account, owner }: { account: SimulatedAccount; owner: KeyOwner }) {
  const document = owner.document ?? DEFAULT_RECIPIENT_DOCUMENT
  const isMasked = readAccountOptions(account).masked_tax_ids && document.length === 11
  return {
    id: key,
    type: KEY_TYPES[detectKeyKind(key)!],
    name: owner.name,
    taxId: isMasked ? `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**` : formatTaxId(document),
    ownerType: document.length === 11 ? 'naturalPerson' : 'legalPerson',
    bankName: 'Banco de Teste',
    ispb: owner.ispb,
    branchCode: encryptPart('branch', key),
    accountNumber: encryptPart('account', key),
    accountType: 'checking',
    status: 'registered',
  }
}

function encryptPart(part: 'branch' | 'account', key: string): string {
  return Buffer.from(`${part}:${key}`).toString('base64')
}

/** Reads the key from an "encrypted" number of an account; null of a plain number. */
export function decryptAccountKey(accountNumber: string): string | null {
  const text = Buffer.from(accountNumber, 'base64').toString()
  return text.startsWith('account:') ? text.slice('account:'.length) : null
}
