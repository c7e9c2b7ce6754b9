import { z } from 'zod'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'

const account = z.object({ accountId: z.string().min(1) })
const listed = z.object({ accounts: z.array(account).min(1) })
const linked = z.object({ account })

/**
 * Woovi's id of the account: "Get a list of accounts" tells it where there is one. A company with several is asked for the
 * account that the AppID is linked to, which its list of keys names ("Chaves Pix das contas").
 */
export function identity(client: WooviClient): Pick<Provider, 'identity'> {
  return {
    async identity() {
      const found = await client.lookUpOwn(
        { ...{ call: 'identity', reference: null }, method: 'GET', path: '/api/v1/account/' },
        json => listed.safeParse(json).data,
      )
      if (found.kind === 'no_answer') return found
      const [only, another] = found.accounts
      if (only && !another) return { kind: 'found', id: only.accountId }
      return client.lookUpOwn(
        { ...{ call: 'listKeys', reference: null }, method: 'GET', path: '/api/v1/pix-keys' },
        json => {
          const one = linked.safeParse(json).data
          return one && { id: one.account.accountId }
        },
      )
    },
  }
}
