import { z } from 'zod'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'

const accountSchema = z.object({ accountId: z.string().min(1) })
const accountListSchema = z.object({ accounts: z.array(accountSchema).min(1) })
const linkedAccountSchema = z.object({ account: accountSchema })

/**
 * Creates the call that identifies the account by Woovi's id of it. "Get a list of accounts" has it if there is one
 * account. If there are several, the list of keys names the account that the AppID is linked to ("Chaves Pix das
 * contas").
 */
export function createWooviAccountIdentity(client: WooviClient): Pick<Provider, 'identity'> {
  return {
    async identity() {
      const outcome = await client.lookUpExisting(
        { call: 'identity', reference: null, method: 'GET', path: '/api/v1/account/' },
        json => accountListSchema.safeParse(json).data,
      )
      if (outcome.kind === 'no_answer') return outcome
      const [account, secondAccount] = outcome.accounts
      if (account && !secondAccount) return { kind: 'found', id: account.accountId }
      return client.lookUpExisting(
        { call: 'listKeys', reference: null, method: 'GET', path: '/api/v1/pix-keys' },
        json => {
          const keyList = linkedAccountSchema.safeParse(json).data
          return keyList && { id: keyList.account.accountId }
        },
      )
    },
  }
}
