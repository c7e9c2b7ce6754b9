import type { Context } from 'koa'
import type { ProviderName } from '../../../../src/domain/providers/provider.ts'
import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import type { SimulatedResponse } from '../../provider-calls.ts'
import { isSameSecret } from '../serve-calls.ts'
import * as errors from './errors.ts'

export type WooviAuthenticationContext = { accounts: SimulatedAccounts; provider: ProviderName }

/** Authenticates a call by its AppID, the whole `Authorization` header: base64 of `clientId:clientSecret`. */
export function authenticateWooviCall(
  ctx: Context,
  { accounts, provider }: WooviAuthenticationContext,
): { account: SimulatedAccount } | { refusal: SimulatedResponse } {
  const [clientId = '', ...secret] = Buffer.from(ctx.get('authorization'), 'base64').toString().split(':')
  const account = accounts.findByClient(provider, clientId)
  const isValid = account?.dialect === 'woovi' && isSameSecret(account.clientSecret, secret.join(':'))
  return isValid ? { account } : { refusal: errors.invalidAppId() }
}
