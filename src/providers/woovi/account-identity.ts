import { z } from 'zod'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'

const accountSchema = z.object({ accountId: z.string().min(1) })
const accountListSchema = z.object({ accounts: z.array(accountSchema).min(1) })
const linkedAccountSchema = z.object({ account: accountSchema })

/**
 * Woovi's id of the account: "Get a list of accounts" tells it where there is one. A company with several is asked for the
 * account that the AppID is linked to, which its list of keys names ("Chaves Pix das contas").
 */
export function createWooviAccountIdentity(client: WooviClient): Pick<Provider, 'identity'> {
  return {
    async identity() {
      const found = await client.lookUpExisting(
        { ...{ call: 'identity', reference: null }, method: 'GET', path: '/api/v1/account/' },
        json => accountListSchema.safeParse(json).data,
      )
      if (found.kind === 'no_answer') return found
      const [only, another] = found.accounts
      if (only && !another) return { kind: 'found', id: only.accountId }
      return client.lookUpExisting(
        { ...{ call: 'listKeys', reference: null }, method: 'GET', path: '/api/v1/pix-keys' },
        json => {
          const one = linkedAccountSchema.safeParse(json).data
          return one && { id: one.account.accountId }
        },
      )
    },
  }
}
