import { createHmac } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Context } from 'koa'
import type { ProviderName } from '../../../domain/provider.ts'
import type { Account, Accounts } from '../../accounts.ts'
import type { Answer } from '../../calls.ts'
import { same } from '../serving.ts'
import * as errors from './errors.ts'

/** Efí's tokens live an hour (docs, "Obter Autorização"). */
const TOKEN_LIFE_SECONDS = 3600
const SCOPES =
  'cob.write cob.read pix.write pix.read pix.send gn.pix.send.read webhook.write webhook.read gn.pix.evp.write gn.pix.evp.read gn.balance.read gn.infractions.read gn.infractions.write gn.settings.read gn.settings.write'

export type Gate = { accounts: Accounts; provider: ProviderName; now: () => Date }
export type Admission = { account: Account } | { refusal: Answer }

/** OAuth2 client credentials: Basic authentication, `{"grant_type": "client_credentials"}`. */
export function tokenFor(ctx: Context, body: unknown, gate: Gate): Answer {
  const [clientId = '', secret = ''] = basicCredentials(ctx)
  const account = gate.accounts.ofClient(gate.provider, clientId)
  if (account?.dialect !== 'efi' || !same(account.clientSecret, secret)) return errors.invalidClient()
  if (lacksCertificate(ctx, account)) return errors.accessDenied()
  if ((body as { grant_type?: unknown } | null)?.grant_type !== 'client_credentials')
    return errors.unsupportedGrant()
  const expires = Math.floor(gate.now().getTime() / 1000) + TOKEN_LIFE_SECONDS
  return {
    status: 200,
    body: {
      access_token: tokenOf(account, expires),
      token_type: 'Bearer',
      expires_in: TOKEN_LIFE_SECONDS,
      scope: SCOPES,
    },
  }
}

/** Whose call it is. A token carries its account and expiry, signed with the account's secret: nothing to store. */
export function admitted(ctx: Context, gate: Gate): Admission {
  const token = /^Bearer (\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const [encoded = '', expires = '0'] = token.split('.')
  const account = gate.accounts.find(Buffer.from(encoded, 'base64url').toString())
  const known = account?.provider === gate.provider && account.dialect === 'efi'
  if (!known || !same(token, tokenOf(account, Number(expires)))) return { refusal: errors.invalidToken() }
  if (Number(expires) * 1000 < gate.now().getTime()) return { refusal: errors.invalidToken() }
  if (lacksCertificate(ctx, account)) return { refusal: errors.accessDenied() }
  return { account }
}

function tokenOf({ id, clientSecret }: Account, expires: number): string {
  const signed = `${Buffer.from(id).toString('base64url')}.${expires}`
  return `${signed}.${createHmac('sha256', clientSecret).update(signed).digest('base64url')}`
}

function basicCredentials(ctx: Context): string[] {
  const encoded = /^Basic (\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  return [clientId, secret.join(':')]
}

/** The connection's certificate counts only where it is of the local authority. */
function lacksCertificate(ctx: Context, account: Account): boolean {
  return account.requiresCertificate === 1 && !(ctx.req.socket as TLSSocket).authorized
}
