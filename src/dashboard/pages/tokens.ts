import { z } from 'zod'
import { issueToken, listTokens, revokeTokens } from '../../admin/accounts.ts'
import { readVisibleProvider } from '../../api/operations/providers.ts'
import { partyName, uuidSchema } from '../../contract/shared/fields.ts'
import { fail, failField } from '../../http/api-error.ts'
import { type Confirmation, phrasesOf } from '../http/confirmation.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { findConnectionMode, listAccountModes, listConnections, tokenWithMode } from './connections.ts'

const PATH = '/dashboard/tokens'

const createTokenSchema = z.object({
  name: partyName,
  mode: z.enum(['live', 'test']),
  provider_uuid: uuidSchema.optional(),
  /** Last day of validity, in the time of Brasília. */
  expires_on: z.iso.date().optional(),
  once: uuidSchema,
})

export function registerTokenPages({ get, post }: DashboardRouter): void {
  get('tokens.read', PATH, visit => renderTokens(visit))

  post('tokens.write', PATH, {
    async handle(visit) {
      const { em, token, form } = visit
      const fields = parseFormFields(createTokenSchema, form)
      const { once: uuid, name, mode, provider_uuid: connectionUuid, expires_on: expiryDay } = fields
      if (connectionUuid !== undefined) {
        await readVisibleProvider(em, token, connectionUuid)
        // A token bound to a connection of the other mode could do nothing.
        if ((await findConnectionMode(em, connectionUuid)) !== mode)
          failField('provider_uuid', 'must be of the mode of the token')
      }
      const issued = await issueToken(em, {
        ...{ uuid, accountUuid: token.accountUuid, name, mode },
        ...(connectionUuid !== undefined && { connectionUuid }),
        ...(expiryDay !== undefined && { expiresAt: parseExpiryDay(expiryDay) }),
      }).catch(ignoreDuplicateToken)
      return issued === null ? redirect(PATH, 'token_there') : renderTokens(visit, issued)
    },
    renderForm: visit => renderTokens(visit),
  })

  post('tokens.write', `${PATH}/:uuid/revoke`, {
    confirm: confirmRevocation,
    async handle({ em, token, params }) {
      await revokeTokens(em, { accountUuid: token.accountUuid, uuid: params.uuid })
      return redirect(PATH, 'token_revoked')
    },
    renderForm: visit => renderTokens(visit),
  })
}

async function confirmRevocation(visit: PageContext<'merchant'>): Promise<Confirmation> {
  const { em, token, params } = visit
  const tokens = await listTokens(em.fork(), token.accountUuid)
  const revoked = tokens.find(({ uuid }) => uuid === params.uuid) ?? fail('not_found')
  const { t } = phrasesOf(visit)
  const gaps = { name: revoked.name }
  return {
    title: t('token.revokeAsk', gaps),
    button: t('token.revokeNow', gaps),
    facts: [
      { name: 'field.name', value: revoked.name },
      { name: 'field.prefix', value: `${revoked.prefix}…` },
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

async function renderTokens(visit: PageContext<'merchant'>, issued?: string) {
  const { em, token } = visit
  const { mode } = await tokenWithMode(visit)
  const connections = await listConnectionsOfAllModes(visit)
  const names = new Map(connections.map(({ uuid, provider }) => [uuid, provider]))
  const now = new Date()
  const rows = (await listTokens(em.fork(), token.accountUuid)).map(row => {
    const { uuid, name, prefix, lastUsedAt, expiresAt, connectionUuid, revokedAt } = row
    const provider = connectionUuid ? names.get(connectionUuid) : null
    const state = revokedAt ? 'revoked' : expiresAt && expiresAt <= now ? 'expired' : 'active'
    return { uuid, name, prefix, provider, lastUsedAt, expiresAt, state }
  })
  return createPage('tokens', { rows, connections, issued, mode, ...(issued && { typed: {} }) }, PATH)
}

/** Lists the connections of all modes, each with its mode: one provider may be connected both live and simulated. */
async function listConnectionsOfAllModes(visit: PageContext<'merchant'>) {
  const lists = (await listAccountModes(visit)).map(async mode => {
    const connections = await listConnections(visit.em, { ...visit.token, modeScope: mode })
    return connections.map(connection => ({ ...connection, mode }))
  })
  return (await Promise.all(lists)).flat()
}

function parseExpiryDay(day: string): Date {
  const end = new Date(`${day}T23:59:59.999-03:00`)
  return end > new Date() ? end : failField('expires_on', 'must not be in the past')
}
