import type Router from '@koa/router'
import type { Context } from 'koa'
import { z } from 'zod'
import type { ProviderApi, ProviderName } from '../../../../src/domain/providers/provider.ts'
import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { type FailureResponses, respondUnderFault, type SimulatedResponse } from '../../provider-calls.ts'
import { readBodyText } from '../../request.ts'
import type { SimulatorState } from '../../state.ts'
import { abortOnDisconnect, closeConnection, isSameSecret, sendProviderResponse } from '../serve-calls.ts'
import { computeCertificateThumbprint, readBearerToken, signToken } from './token.ts'

/** Access tokens of OAuth 2.0 client credentials that are bound to the client's certificate (RFC 8705). */
export type BoundTokenProfile = {
  dialect: ProviderApi
  path: string
  ttlS: number
  scopes: readonly string[]
  /** False: the certificate alone authenticates the client. */
  needsSecret: boolean
  /** False: a token without a requested scope has all of them. */
  needsScope: boolean
  refusals: {
    invalidClient(): SimulatedResponse
    certificateMissing(): SimulatedResponse
    unsupportedGrant(): SimulatedResponse
    invalidScope(scope: string): SimulatedResponse
    /** A call without a valid token, or with one of another certificate. */
    invalidToken(): SimulatedResponse
    /** A call whose token lacks the scope. */
    scopeMissing(): SimulatedResponse
  }
  failures: FailureResponses
  presentToken(token: { access_token: string; scope: string; expires_in: number }): object
  /** Refuses a request for a token that exceeds the bank's pace; null if it does not. */
  limitPace?(account: SimulatedAccount): SimulatedResponse | null
}

type TokenContext = { state: SimulatorState; provider: ProviderName; profile: BoundTokenProfile }

/** Serves the token endpoint, faults of the operation `authenticate` included. */
export function serveBoundTokens(router: Router, context: TokenContext): void {
  const { state, provider, profile } = context
  router.post(profile.path, async ctx => {
    const form = new URLSearchParams(await readBodyText(ctx))
    const account = state.accounts.findByClient(provider, form.get('client_id') ?? '')
    const response = await respondUnderFault({
      fault: account ? state.faults.consumeForToken(account) : null,
      handle: () => issueToken(ctx, { form, account }, context),
      failures: profile.failures,
      operation: 'authenticate',
      scaleWaitMs: state.scaleWaitMs,
      nextIndex: () => state.store.nextCount('unlisted refusal') - 1,
      abortSignal: () => abortOnDisconnect(ctx, state.stopping),
    })
    if (response) sendProviderResponse(ctx, response)
    else closeConnection(ctx)
  })
}

function issueToken(
  ctx: Context,
  { form, account }: { form: URLSearchParams; account: SimulatedAccount | undefined },
  { state, profile }: TokenContext,
): SimulatedResponse {
  const { refusals, scopes, ttlS } = profile
  const secret = form.get('client_secret') ?? ''
  if (account?.dialect !== profile.dialect) return refusals.invalidClient()
  if (profile.needsSecret && !isSameSecret(account.clientSecret, secret)) return refusals.invalidClient()
  const thumbprint = computeCertificateThumbprint(ctx)
  if (!thumbprint) return refusals.certificateMissing()
  const paceRefusal = profile.limitPace?.(account)
  if (paceRefusal) return paceRefusal
  if (form.get('grant_type') !== 'client_credentials') return refusals.unsupportedGrant()
  const scope = form.get('scope') ?? (profile.needsScope ? '' : scopes.join(' '))
  const withheldScopes = readAccountOptions(account).withheld_scopes
  const unknownScope = scope.split(' ').find(one => !scopes.includes(one) || withheldScopes.includes(one))
  if (unknownScope !== undefined) return refusals.invalidScope(unknownScope)
  const exp = Math.floor(state.now().getTime() / 1000) + ttlS
  const claims = { client_id: account.clientId, scope, exp, cnf: { 'x5t#S256': thumbprint } }
  const access_token = signToken(claims, account.clientSecret)
  return { status: 200, body: profile.presentToken({ access_token, scope, expires_in: ttlS }) }
}

const claimsSchema = z.object({
  client_id: z.string(),
  scope: z.string(),
  exp: z.number(),
  cnf: z.object({ 'x5t#S256': z.string() }),
})

/** Authenticates a call by its token, which must have the scope and be bound to the caller's certificate. */
export function authenticateBoundCall(
  ctx: Context,
  scope: string,
  { state, provider, profile }: TokenContext,
): { account: SimulatedAccount } | { refusal: SimulatedResponse } {
  const { refusals, dialect } = profile
  const { token, claims } = readBearerToken(ctx)
  const { data } = claimsSchema.safeParse(claims)
  if (!data) return { refusal: refusals.invalidToken() }
  const account = state.accounts.findByClient(provider, data.client_id)
  const isGenuine = account?.dialect === dialect && isSameSecret(signToken(data, account.clientSecret), token)
  if (!isGenuine || data.exp * 1000 < state.now().getTime()) return { refusal: refusals.invalidToken() }
  if (data.cnf['x5t#S256'] !== computeCertificateThumbprint(ctx)) return { refusal: refusals.invalidToken() }
  return data.scope.split(' ').includes(scope) ? { account } : { refusal: refusals.scopeMissing() }
}
