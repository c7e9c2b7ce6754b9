import { z } from 'zod'
import { changeTokenPermissions, issueToken, listTokens, revokeTokens } from '../../admin/tokens.ts'
import { readVisibleProvider } from '../../api/operations/providers.ts'
import { partyName, uuidSchema } from '../../contract/shared/fields.ts'
import { endOfDay } from '../../contract/shared/time-zone.ts'
import type { Token } from '../../db/entities/token.ts'
import { toActionAuthor } from '../../db/repositories/audited-actions.ts'
import { TOKEN_SCOPES, type TokenScope } from '../../domain/tokens/token-scope.ts'
import type { AccountPermission } from '../../domain/users/roles.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import { parseAllowedAddresses } from '../../security/allowed-addresses.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields, readCheckboxes } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import { getUserAuthor, type PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { findConnectionMode, listAccountModes, listConnections, tokenWithMode } from './connections.ts'

const PATH = '/dashboard/tokens'

const permissionsSchema = z.object({ scopes: z.array(z.enum(TOKEN_SCOPES)).min(1) })

const createTokenSchema = permissionsSchema.extend({
  name: partyName,
  mode: z.enum(['live', 'test']),
  provider_uuid: uuidSchema.optional(),
  /** Last day of validity, in the account's time zone. */
  expires_on: z.iso.date().optional(),
  once: uuidSchema,
})

export function registerTokenPages({ get, post }: DashboardRouter): void {
  get('tokens.read', PATH, visit => renderTokens(visit))

  post('tokens.write', PATH, {
    async handle(visit) {
      const { em, token, form } = visit
      const { fields, allowedAddresses } = parseTokenForm(createTokenSchema, form)
      const { once: uuid, name, mode, scopes, provider_uuid: connectionUuid, expires_on: expiryDay } = fields
      requirePermittedScopes(visit, { mode, scopes })
      if (connectionUuid !== undefined) {
        await readVisibleProvider(em, token, connectionUuid)
        // A token bound to a connection of the other mode could do nothing.
        if ((await findConnectionMode(em, connectionUuid)) !== mode)
          failField('provider_uuid', 'must be of the mode of the token')
      }
      const order = {
        uuid,
        accountUuid: token.accountUuid,
        name,
        mode,
        scopes,
        allowedAddresses,
        ...(connectionUuid !== undefined && { connectionUuid }),
        ...(expiryDay !== undefined && { expiresAt: parseExpiryDay(expiryDay, visit.timeZone) }),
      }
      const act = { ...toActionAuthor(getUserAuthor(visit)), token: order }
      const secret = await issueToken(em, act).catch(ignoreDuplicateToken)
      return secret === null ? redirect(PATH, 'token_there') : renderTokens(visit, secret)
    },
    renderForm: visit => renderTokens(visit),
  })

  get('tokens.read', `${PATH}/:uuid`, visit => renderToken(visit))

  post('tokens.write', `${PATH}/:uuid/permissions`, {
    async handle(visit) {
      const { em, form, params, token } = visit
      const { fields, allowedAddresses } = parseTokenForm(permissionsSchema, form)
      const { mode, scopes } = await requireToken(visit)
      const added = fields.scopes.filter(scope => !scopes.includes(scope))
      requirePermittedScopes(visit, { mode, scopes: added })
      const permissions = { scopes: fields.scopes, allowedAddresses }
      const act = { ...toActionAuthor(getUserAuthor(visit)), uuid: params.uuid, permissions }
      const { accountUuid } = token
      if (!(await changeTokenPermissions(em, { ...act, accountUuid }))) fail('not_found')
      return redirect(PATH, 'token_changed')
    },
    listFacts: async visit => listTokenFacts(visit, await requireToken(visit)),
    renderForm: visit => renderToken(visit),
  })

  post('tokens.write', `${PATH}/:uuid/revoke`, {
    confirm: confirmRevocation,
    async handle(visit) {
      const { accountUuid } = visit.token
      const { uuid } = await requireToken(visit)
      // The form sent twice revokes and records nothing.
      await revokeTokens(visit.em, { ...toActionAuthor(getUserAuthor(visit)), accountUuid, which: { uuid } })
      return redirect(PATH, 'token_revoked')
    },
    renderForm: visit => renderTokens(visit),
  })
}

/** What a user needs to give a live token a scope: no token does more than the user who issues it. */
const PERMISSION_OF_SCOPE: Record<TokenScope, AccountPermission> = {
  read: 'money.read',
  charges: 'charges.write',
  transfers: 'transfers.write',
  refunds: 'refunds.write',
  webhooks: 'webhooks.write',
}

/** Lists the scopes that a user may give a token; a token for tests moves no money, and may have every scope. */
function listPermittedScopes({ session }: PageContext, mode: Token['mode']): TokenScope[] {
  return TOKEN_SCOPES.filter(scope => mode === 'test' || hasPermission(session, PERMISSION_OF_SCOPE[scope]))
}

type GivenScopes = { mode: Token['mode']; scopes: readonly TokenScope[] }

function requirePermittedScopes(visit: PageContext, { mode, scopes }: GivenScopes): void {
  const permitted = listPermittedScopes(visit, mode)
  if (!scopes.every(scope => permitted.includes(scope)))
    failField('scopes', 'must be permitted to your own role in a live token; ask an owner')
}

/** Parses a form with scopes and addresses; a form without the checkboxes selects all scopes. */
function parseTokenForm<S extends typeof permissionsSchema>(schema: S, form: URLSearchParams) {
  const errors: FieldErrors = {}
  const { addresses, fault } = parseAllowedAddresses(form.get('allowed_addresses') ?? '')
  if (fault) errors.allowed_addresses = [fault]
  const values = { ...Object.fromEntries(form), scopes: readCheckboxes(form, 'scopes') ?? [...TOKEN_SCOPES] }
  const fields = parseFormFields(schema, values, errors)
  return { fields, allowedAddresses: addresses ?? [] }
}

async function requireToken({ em, token, params }: PageContext<'merchant'>): Promise<Token> {
  const tokens = await listTokens(em.fork(), token.accountUuid)
  return tokens.find(({ uuid }) => uuid === params.uuid) ?? fail('not_found')
}

async function confirmRevocation(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const row = await requireToken(visit)
  const { t } = visit
  const state = stateOf(row, new Date())
  if (state === 'revoked') {
    // The same form once more: what it asked for is done.
    if (visit.form.has('confirmed')) return null
    fail('act_stale', { currentStateText: t('token.revoked') })
  }
  const gaps = { name: row.name }
  return {
    title: t('token.revokeAsk', gaps),
    button: t('token.revokeNow', gaps),
    facts: [
      { name: 'field.name', value: row.name },
      { name: 'field.prefix', value: `${row.prefix}…` },
    ],
    means: t('token.revokeMeans'),
    isDangerous: true,
    back: PATH,
  }
}

/** Ignores the duplicate key of a form sent twice: the token exists and is not shown again. */
function ignoreDuplicateToken(error: unknown): null {
  if (Object(error).constraint === 'token_pkey') return null
  throw error
}

async function renderTokens(visit: PageContext<'merchant'>, secret?: string) {
  const { em, token } = visit
  const { mode } = await tokenWithMode(visit)
  const connections = await listConnectionsOfAllModes(visit)
  const names = new Map(connections.map(({ uuid, provider }) => [uuid, provider]))
  const now = new Date()
  const rows = (await listTokens(em.fork(), token.accountUuid)).map(row => {
    const { uuid, name, prefix, lastUsedAt, expiresAt, connectionUuid, scopes, allowedAddresses } = row
    const provider = connectionUuid ? names.get(connectionUuid) : null
    const model = { uuid, name, prefix, provider, lastUsedAt, expiresAt, state: stateOf(row, now) }
    return { ...model, scopes: scopes.length === TOKEN_SCOPES.length ? null : scopes, allowedAddresses }
  })
  const form = {
    scopes: TOKEN_SCOPES,
    chosen: (!secret && readCheckboxes(visit.form, 'scopes')) || listPermittedScopes(visit, mode),
    ...(secret && { typed: {} }),
  }
  return createPage('tokens', { rows, connections, issued: secret, mode, ...form }, PATH)
}

function stateOf({ revokedAt, expiresAt }: Token, now: Date): 'revoked' | 'expired' | 'active' {
  return revokedAt ? 'revoked' : expiresAt && expiresAt <= now ? 'expired' : 'active'
}

async function renderToken(visit: PageContext<'merchant'>) {
  const { form } = visit
  const row = await requireToken(visit)
  const { uuid, name, prefix, createdAt, lastUsedAt, scopes, allowedAddresses } = row
  const chosen: readonly string[] = readCheckboxes(form, 'scopes') ?? scopes
  return createPage(
    'token',
    {
      token: { uuid, name, prefix, createdAt, lastUsedAt, state: stateOf(row, new Date()) },
      version: encodeFacts(visit.language, listTokenFacts(visit, row)),
      scopes: TOKEN_SCOPES,
      chosen,
      typed: { allowed_addresses: form.get('allowed_addresses') ?? allowedAddresses.join(', ') },
    },
    `${PATH}/${uuid}`,
  )
}

/** Lists what a change of a token's permissions depends on. */
function listTokenFacts(visit: PageContext<'merchant'>, row: Token): ShownFact[] {
  const { t } = visit
  return [
    { name: 'field.status', value: t(`token.${stateOf(row, new Date())}`) },
    { name: 'field.scopes', value: row.scopes.map(scope => t(`scope.${scope}`)).join(', ') || '–' },
    { name: 'field.allowed_addresses', value: row.allowedAddresses.join(', ') || '–' },
  ]
}

/** Lists the connections of all modes, each with its mode: one provider may be connected both live and simulated. */
async function listConnectionsOfAllModes(visit: PageContext<'merchant'>) {
  const lists = (await listAccountModes(visit)).map(async mode => {
    const connections = await listConnections(visit.em, { ...visit.token, modeScope: mode })
    return connections.map(connection => ({ ...connection, mode }))
  })
  return (await Promise.all(lists)).flat()
}

function parseExpiryDay(day: string, timeZone: string): Date {
  const end = new Date(endOfDay(day, timeZone).getTime() - 1)
  return end > new Date() ? end : failField('expires_on', 'must not be in the past')
}
