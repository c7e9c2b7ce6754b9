import { documentKind } from '../../../domain/document.ts'
import { pixKeyType } from '../../../domain/pix-key.ts'
import type { Account } from '../../accounts.ts'
import type { Answer, Call } from '../../calls.ts'
import type { World } from '../../world.ts'
import { shownAccount } from './account.ts'
import * as errors from './errors.ts'
import { keyBody, pageQuery, read } from './schemas.ts'

type Keys = Record<'create' | 'list' | 'remove', (call: Call) => Answer>

/** The account's keys: `/pix-keys`. The first of them is the default, which its charges collect with. */
export function keyCallsOf({ accounts, store }: World): Keys {
  const isDefault = (account: Account, key: string) => accounts.keysOf(account.id)[0] === key

  return {
    create: ({ account, body }) => {
      const asked = read(keyBody, body)
      if ('refusal' in asked) return asked.refusal
      const { type, key: given } = asked.value
      if (type !== 'EVP') {
        if (given === undefined || wooviTypeOf(given) !== type) return errors.keyMalformed()
        if (type === 'CNPJ' && given !== account.holderDocument) return errors.keyOfAnotherHolder()
      }
      return store.atomically(() => {
        if (!accounts.mayHaveAnother(account)) return errors.tooManyKeys()
        if (type !== 'EVP' && !accounts.register(account.id, given!)) return errors.keyTaken()
        const key = type === 'EVP' ? accounts.addRandomKey(account.id) : given!
        return { status: 201, body: { key, type, isDefault: isDefault(account, key) } }
      })
    },
    /** Pages by how many to skip, and tells of no end. */
    list: ({ account, query, view }) => {
      const page = read(pageQuery, Object.fromEntries(query))
      if ('refusal' in page) return page.refusal
      const { skip, limit } = page.value
      const pixKeys = accounts
        .keysOf(account.id)
        .slice(skip, skip + Math.min(limit, view.pageSize ?? limit))
        .map(key => ({ key, type: wooviTypeOf(key), isDefault: isDefault(account, key) }))
      return { status: 200, body: { pixKeys, account: shownAccount(account) } }
    },
    remove: ({ account, params }) => {
      const key = params.pixKey!
      if (accounts.ofKey(key)?.id !== account.id) return errors.keyNotFound()
      if (isDefault(account, key)) return errors.keyIsDefault()
      accounts.removeKey(account.id, key)
      return { status: 204 }
    },
  }
}

function wooviTypeOf(key: string): string | null {
  const type = pixKeyType(key)
  return type === 'DOCUMENT' ? documentKind(key) : type === 'RANDOM' ? 'EVP' : type
}
