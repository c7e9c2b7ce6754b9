import { verify } from 'node:crypto'
import type { Context } from 'koa'
import type { ProviderName } from '../../../../src/domain/providers/provider.ts'
import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import { readBodyText } from '../../request.ts'
import type { Authentication } from '../serve-calls.ts'
import * as errors from './errors.ts'

/** Most that the time of a request may differ from the bank's, in seconds. */
const MAX_CLOCK_DIFFERENCE_S = 300

type StarkAuthenticationContext = { accounts: SimulatedAccounts; provider: ProviderName; now: () => Date }

/**
 * Authenticates a request by its headers `Access-Id`, `Access-Time` (Unix seconds) and `Access-Signature`: the ECDSA signature, base64
 * of DER, of `id:time:body` by the caller's key (starkcore 0.4.0, `utils/request.js`).
 */
export async function authenticateStarkCall(
  ctx: Context,
  { accounts, provider, now }: StarkAuthenticationContext,
): Promise<Authentication> {
  const [id, time, signature] = ['access-id', 'access-time', 'access-signature'].map(name => ctx.get(name))
  const account = findAccount(accounts, provider, id!)
  const body = await readBodyText(ctx)
  if (!account || !isGenuine(account, { message: `${id}:${time}:${body}`, signature: signature! }))
    return { refusal: errors.invalidCredentials() }
  const differenceS = Math.abs(now().getTime() / 1000 - Number(time))
  return differenceS <= MAX_CLOCK_DIFFERENCE_S ? { account } : { refusal: errors.invalidAccessTime() }
}

/** Finds the account of an Access-Id: `project/<id>`, or `organization/<id>/workspace/<id>`, which is stored whole. */
function findAccount(
  accounts: SimulatedAccounts,
  provider: ProviderName,
  accessId: string,
): SimulatedAccount | undefined {
  const account = accounts.findByClient(provider, accessId.replace(/^project\//, ''))
  return account?.dialect === 'stark' ? account : undefined
}

function isGenuine(
  { clientSecret: publicKey }: SimulatedAccount,
  { message, signature }: { message: string; signature: string },
): boolean {
  return verify('sha256', Buffer.from(message), publicKey, Buffer.from(signature, 'base64'))
}
