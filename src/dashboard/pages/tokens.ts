import { z } from 'zod'
import { issueToken, listTokens, revokeToken } from '../../admin/accounts.ts'
import { failField } from '../../api/http/api-error.ts'
import type { CallerToken } from '../../api/middleware/authenticate.ts'
import { readVisibleProvider } from '../../api/providers/find.ts'
import { partyName, uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { DashboardRouter, PageContext } from '../http/router.ts'
import { parseUuidParam } from './charges.ts'
import { listConnections } from './connections.ts'
import { findConnectionMode, listAccountModes, tokenWithMode } from './mode.ts'

const PATH = '/dashboard/tokens'

const createTokenSchema = z.object({
  name: partyName,
  mode: z.enum(['live', 'test']),
  provider_uuid: uuidSchema.optional(),
  /** The last day on which it works, in Brasília. */
  expires_on: z.iso.date().optional(),
  once: uuidSchema,
})

export function registerTokenPages({ get, post }: DashboardRouter): void {
  get('merchant', PATH, visit => renderTokens(visit))

  post('merchant', PATH, {
    async handle(visit) {
      const { em, token, form } = visit
      const asked = parseFormFields(createTokenSchema, Object.fromEntries(form))
      const { accountUuid } = token
      if (asked.provider_uuid !== undefined) {
        await readVisibleProvider(em, token, asked.provider_uuid)
        await requireConnectionMode(em, asked.provider_uuid, asked.mode)
      }
      const issued = await issueToken(em, {
        uuid: asked.once,
        accountUuid,
        name: asked.name,
        mode: asked.mode,
        ...(asked.provider_uuid !== undefined && { connectionUuid: asked.provider_uuid }),
        ...(asked.expires_on !== undefined && { expiresAt: parseExpiryDay(asked.expires_on) }),
      }).catch(ignoreDuplicateToken)
      return issued === null ? redirect(PATH, 'token_there') : renderTokens(visit, issued)
    },
    renderForm: visit => renderTokens(visit),
  })

  post('merchant', `${PATH}/:uuid/revoke`, {
    async handle({ em, token, params }) {
      await revokeToken(em, { accountUuid: token.accountUuid, uuid: parseUuidParam(params.uuid) })
      return redirect(PATH, 'token_revoked')
    },
    renderForm: visit => renderTokens(visit),
  })
}

/** Two clicks, or reloading the page that showed it, send its form again: the token is there, and is not shown again. */
function ignoreDuplicateToken(error: unknown): null {
  if (Object(error).constraint === 'token_pkey') return null
  throw error
}

/** A token that is bound to what its mode never reaches could do nothing. */
async function requireConnectionMode(
  em: EntityManager,
  uuid: string,
  mode: CallerToken['mode'],
): Promise<void> {
  if ((await findConnectionMode(em, uuid)) !== mode)
    failField('provider_uuid', 'must be of the mode of the token')
}

async function renderTokens(visit: PageContext<'merchant'>, issued?: string) {
  const { em, token, form } = visit
  const { mode } = await tokenWithMode(visit)
  const connections = await listConnectionsOfAllModes(visit)
  const names = new Map(connections.map(({ uuid, provider }) => [uuid, provider]))
  const now = new Date()
  const rows = (await listTokens(em.fork(), token.accountUuid)).map(row => ({
    uuid: row.uuid,
    name: row.name,
    mode: row.mode,
    prefix: row.prefix,
    provider: row.connectionUuid ? names.get(row.connectionUuid) : null,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
    expiresAt: row.expiresAt,
    state: row.revokedAt ? 'revoked' : row.expiresAt && row.expiresAt <= now ? 'expired' : 'active',
  }))
  const typed = issued ? {} : Object.fromEntries(form)
  return createPage('tokens', { rows, connections, issued, mode, typed }, PATH)
}

/** Each with its mode, because one provider may be there as itself and as a simulator. */
async function listConnectionsOfAllModes(visit: PageContext<'merchant'>) {
  const lists = (await listAccountModes(visit)).map(async mode => {
    const seen = await listConnections(visit.em, { ...visit.token, modeScope: mode })
    return seen.map(connection => ({ ...connection, mode }))
  })
  return (await Promise.all(lists)).flat()
}

function parseExpiryDay(day: string): Date {
  const end = new Date(`${day}T23:59:59.999-03:00`)
  return end > new Date() ? end : failField('expires_on', 'must not be in the past')
}
