import type { SimulatedAccount } from '../../accounts.ts'
import { detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import { presentWooviAccount } from './account.ts'
import * as errors from './errors.ts'
import { keyBody, parseWooviBody, wooviPageQuery } from './schemas.ts'

type WooviKeyHandlers = Record<'create' | 'list' | 'remove', (call: SimulatedCall) => SimulatedResponse>

/**
 * Creates the handlers of the account's keys, `/pix-keys`. The first key is the default, which receives its charges.
 */
export function createWooviKeyHandlers({ accounts, store }: SimulatorState): WooviKeyHandlers {
  const isDefault = (account: SimulatedAccount, key: string) => accounts.listKeys(account.id)[0] === key

  return {
    create: ({ account, body }) => {
      const parsed = parseWooviBody(keyBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { type, key: requestedKey } = parsed.value
      if (type !== 'EVP') {
        if (requestedKey === undefined || toWooviKeyType(requestedKey) !== type) return errors.keyMalformed()
        if (type === 'CNPJ' && requestedKey !== account.holderDocument) return errors.keyNotOfHolder()
      }
      return store.inTransaction(() => {
        if (!accounts.canAddKey(account)) return errors.wooviKeyLimitReached()
        if (type !== 'EVP' && !accounts.registerKey(account.id, requestedKey!)) return errors.keyInUse()
        const key = type === 'EVP' ? accounts.addRandomKey(account.id) : requestedKey!
        return { status: 201, body: { key, type, isDefault: isDefault(account, key) } }
      })
    },
    /** Lists a page by the number of keys to skip, without a total. */
    list: ({ account, query, view }) => {
      const page = parseWooviBody(wooviPageQuery, Object.fromEntries(query))
      if ('refusal' in page) return page.refusal
      const { skip, limit } = page.value
      const pixKeys = accounts
        .listKeys(account.id)
        .slice(skip, skip + Math.min(limit, view.pageSize ?? limit))
        .map(key => ({ key, type: toWooviKeyType(key), isDefault: isDefault(account, key) }))
      return { status: 200, body: { pixKeys, account: presentWooviAccount(accounts, account) } }
    },
    remove: ({ account, params }) => {
      const key = params.pixKey!
      if (accounts.findByKey(key)?.id !== account.id) return errors.wooviKeyNotFound()
      if (isDefault(account, key)) return errors.keyIsDefault()
      accounts.removeKey(account.id, key)
      return { status: 204 }
    },
  }
}

function toWooviKeyType(key: string): string | null {
  const kind = detectKeyKind(key)
  return kind === 'RANDOM' ? 'EVP' : kind
}
