import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { z } from 'zod'
import type { ProviderName } from '../../../../src/domain/providers/provider.ts'
import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import type { SimulatedResponse } from '../../provider-calls.ts'
import { bacenAccessDenied } from '../bacen/problems.ts'
import { hasClientCertificate, readBearerToken, signToken } from '../bacen/token.ts'
import { isSameSecret } from '../serve-calls.ts'
import * as errors from './errors.ts'

/** Validity of Efí's tokens (docs, "Obter Autorização"). */
const TOKEN_TTL_S = 3600
const SCOPES =
  'cob.write cob.read cobv.write cobv.read pix.write pix.read pix.send gn.pix.send.read webhook.write webhook.read gn.pix.evp.write gn.pix.evp.read gn.balance.read gn.infractions.read gn.infractions.write gn.settings.read gn.settings.write'

export type EfiAuthenticationContext = {
  accounts: SimulatedAccounts
  provider: ProviderName
  now: () => Date
}
export type EfiAuthenticationResult = { account: SimulatedAccount } | { refusal: SimulatedResponse }

/** Issues an access token for OAuth 2.0 client credentials, given by Basic authentication. */
export function issueEfiToken(
  ctx: Context,
  body: unknown,
  context: EfiAuthenticationContext,
): SimulatedResponse {
  const [clientId = '', secret = ''] = parseBasicCredentials(ctx)
  const account = context.accounts.findByClient(context.provider, clientId)
  if (account?.dialect !== 'efi' || !isSameSecret(account.clientSecret, secret)) return errors.invalidClient()
  if (isCertificateMissing(ctx, account)) return bacenAccessDenied()
  if ((body as { grant_type?: unknown } | null)?.grant_type !== 'client_credentials')
    return errors.unsupportedGrant()
  const expires = Math.floor(context.now().getTime() / 1000) + TOKEN_TTL_S
  return {
    status: 200,
    body: {
      access_token: signEfiToken(account, expires),
      token_type: 'Bearer',
      expires_in: TOKEN_TTL_S,
      scope: SCOPES,
    },
  }
}

/** Authenticates a call by its token, which is signed with the account's secret. */
export function authenticateEfiCall(
  ctx: Context,
  context: EfiAuthenticationContext,
): EfiAuthenticationResult {
  const { token, claims } = readBearerToken(ctx)
  const { data: payload } = tokenPayloadSchema.safeParse(claims)
  if (!payload) return { refusal: errors.invalidToken() }
  const account = context.accounts.findByClient(context.provider, payload.clientId)
  if (account?.dialect !== 'efi' || !isSameSecret(signEfiToken(account, payload.exp), token))
    return { refusal: errors.invalidToken() }
  if (payload.exp * 1000 < context.now().getTime()) return { refusal: errors.invalidToken() }
  if (isCertificateMissing(ctx, account)) return { refusal: bacenAccessDenied() }
  return { account }
}

const tokenPayloadSchema = z.object({ clientId: z.string(), exp: z.number() })

/** Signs a token: it names client and account, as Efí's do in what its users publish. */
function signEfiToken({ id, clientId, clientSecret }: SimulatedAccount, exp: number): string {
  const account_code = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return signToken({ type: 'access_token', clientId, account_code, exp }, clientSecret)
}

function parseBasicCredentials(ctx: Context): string[] {
  const encoded = /^Basic (\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  return [clientId, secret.join(':')]
}

function isCertificateMissing(ctx: Context, account: SimulatedAccount): boolean {
  return account.requiresCertificate === 1 && !hasClientCertificate(ctx)
}
