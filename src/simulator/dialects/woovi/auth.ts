import type { Context } from 'koa'
import type { ProviderName } from '../../../domain/provider.ts'
import type { Account, Accounts } from '../../accounts.ts'
import type { Answer } from '../../calls.ts'
import { same } from '../serving.ts'
import * as errors from './errors.ts'

export type Gate = { accounts: Accounts; provider: ProviderName }

/** Whose call it is: the AppID is the whole `Authorization` header, base64 of `clientId:clientSecret`. */
export function admitted(
  ctx: Context,
  { accounts, provider }: Gate,
): { account: Account } | { refusal: Answer } {
  const [clientId = '', ...secret] = Buffer.from(ctx.get('authorization'), 'base64').toString().split(':')
  const account = accounts.ofClient(provider, clientId)
  const fits = account?.dialect === 'woovi' && same(account.clientSecret, secret.join(':'))
  return fits ? { account } : { refusal: errors.invalidAppId() }
}
