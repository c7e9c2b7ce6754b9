import { z } from 'zod'
import { issueToken, revokeToken, tokensOf } from '../../admin/accounts.ts'
import type { Token } from '../../api/auth.ts'
import { refuseField } from '../../api/errors.ts'
import { providerOf } from '../../api/providers/find.ts'
import type { EntityManager } from '../../db/orm.ts'
import { name, uuid } from '../../wire/common.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { idOf } from './charges.ts'
import { connectionsOf } from './connections.ts'
import { inMode, modeOf, modesOf } from './mode.ts'

const PATH = '/dashboard/tokens'

const createToken = z.object({
  name,
  mode: z.enum(['live', 'test']),
  provider_uuid: uuid.optional(),
  /** The last day on which it works, in Brasília. */
  expires_on: z.iso.date().optional(),
  once: uuid,
})

export function tokenPages({ get, post }: Door): void {
  get('merchant', PATH, visit => tokens(visit))

  post('merchant', PATH, {
    async act(visit) {
      const { em, token, form } = visit
      const asked = required(createToken, Object.fromEntries(form))
      const { accountUuid } = token
      if (asked.provider_uuid !== undefined) {
        await providerOf(em, token, asked.provider_uuid)
        await requireReached(em, asked.provider_uuid, asked.mode)
      }
      const issued = await issueToken(em, {
        uuid: asked.once,
        accountUuid,
        name: asked.name,
        mode: asked.mode,
        ...(asked.provider_uuid !== undefined && { connectionUuid: asked.provider_uuid }),
        ...(asked.expires_on !== undefined && { expiresAt: endOf(asked.expires_on) }),
      }).catch(thereAlready)
      return issued === null ? elsewhere(PATH, 'token_there') : tokens(visit, issued)
    },
    again: visit => tokens(visit),
  })

  post('merchant', `${PATH}/:uuid/revoke`, {
    async act({ em, token, params }) {
      await revokeToken(em, { accountUuid: token.accountUuid, uuid: idOf(params.uuid) })
      return elsewhere(PATH, 'token_revoked')
    },
    again: visit => tokens(visit),
  })
}

/** Two clicks, or reloading the page that showed it, send its form again: the token is there, and is not shown again. */
function thereAlready(error: unknown): null {
  if (Object(error).constraint === 'token_pkey') return null
  throw error
}

/** A token that is bound to what its mode never reaches could do nothing. */
async function requireReached(em: EntityManager, uuid: string, mode: Token['mode']): Promise<void> {
  if ((await modeOf(em, uuid)) !== mode) refuseField('provider_uuid', 'must be of the mode of the token')
}

async function tokens(visit: Visit<'merchant'>, issued?: string) {
  const { em, token, form } = visit
  const { mode } = await inMode(visit)
  const connections = await connectionsOfEach(visit)
  const names = new Map(connections.map(({ uuid, provider }) => [uuid, provider]))
  const now = new Date()
  const rows = (await tokensOf(em.fork(), token.accountUuid)).map(row => ({
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
  return page('tokens', { rows, connections, issued, mode, typed }, PATH)
}

/** Each with its mode, because one provider may be there as itself and as a simulator. */
async function connectionsOfEach(visit: Visit<'merchant'>) {
  const lists = (await modesOf(visit)).map(async mode => {
    const seen = await connectionsOf(visit.em, { ...visit.token, reaches: mode })
    return seen.map(connection => ({ ...connection, mode }))
  })
  return (await Promise.all(lists)).flat()
}

function endOf(day: string): Date {
  const end = new Date(`${day}T23:59:59.999-03:00`)
  return end > new Date() ? end : refuseField('expires_on', 'must not be in the past')
}
