import { z } from 'zod'
import { createPixKey } from '../../api/pix-keys/create.ts'
import { listPixKeys } from '../../api/pix-keys/find.ts'
import { removePixKey } from '../../api/pix-keys/remove.ts'
import { requestCode } from '../../api/pix-keys/request-code.ts'
import { countTry } from '../../api/pix-keys/tries.ts'
import { LONGEST_KEY, PIX_KEY_TYPES, PROVED_TYPES } from '../../domain/pix-key.ts'
import { uuid } from '../../wire/common.ts'
import { createPixKey as creation, pixKeysQuery, requestCode as request } from '../../wire/pix-key.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { connectionsOf } from './connections.ts'
import { listed } from './listing.ts'
import { inMode, modesOf } from './mode.ts'

const PATH = '/dashboard/keys'
const once = z.object({ once: uuid })
const removal = z.object({ key: z.string().min(1).max(LONGEST_KEY) })

export function keyPages({ get, post, house }: Door): void {
  const { engine, sealer, config } = house

  get('merchant', PATH, visit => keys(visit))

  /** The first half of an e-mail's or a phone's key: six digits go to it, and the page asks for them. */
  post('merchant', `${PATH}/code`, {
    async act(visit) {
      const body = required(request, Object.fromEntries(visit.form))
      const asked = { ...(await means(visit)), body }
      const { data } = (await requestCode({ engine, sealer, messengers: config.messengers }, asked)).body
      return keys(visit, { ...data, type: body.type, address: body.key, provider: body.provider_uuid })
    },
    again: visit => keys(visit),
  })

  post('merchant', PATH, {
    async act(visit) {
      const asked = await means(visit)
      await countTry({ ...asked, em: visit.em.fork() })
      const body = required(creation, Object.fromEntries(visit.form))
      await createPixKey({ engine, sealer }, { ...asked, body })
      return elsewhere(PATH, 'key_created', asked.token.mode)
    },
    again: visit => keys(visit, proving(visit)),
  })

  post('merchant', `${PATH}/remove`, {
    async act(visit) {
      const { key } = required(removal, Object.fromEntries(visit.form))
      const { token, em, requestId } = await means(visit)
      await removePixKey(engine, { key, token, em, requestId })
      return elsewhere(PATH, 'key_removed', token.mode)
    },
    again: visit => keys(visit),
  })
}

/** Whose order it is; a form that is sent twice by mistake asks once. */
async function means(visit: Visit<'merchant'>) {
  const { em, form, requestId } = visit
  const sent = form.has('once') ? required(once, { once: form.get('once') }).once : null
  const idempotencyKey = sent && `dashboard ${sent}`
  return { em, requestId, idempotencyKey, token: await inMode(visit) }
}

type Proving = { auth_code_id: string; type: string; address: string; provider?: string | undefined }

async function keys(visit: Visit<'merchant'>, proving?: Proving | null) {
  const token = await inMode(visit)
  const { data, meta, wrong } = await listed(visit, pixKeysQuery, asked =>
    listPixKeys(visit.em.fork(), token, asked),
  )
  const reached = { ...token, reaches: token.mode }
  const connections = (await connectionsOf(visit.em, reached)).filter(({ type }) => type === 'NOMINAL')
  const plain = PIX_KEY_TYPES.filter(type => !(PROVED_TYPES as readonly string[]).includes(type))
  const told = {
    rows: data,
    meta,
    wrong,
    connections,
    mode: token.mode,
    modes: await modesOf(visit),
    proving,
    typed: Object.fromEntries(visit.form),
    plain,
    proved: PROVED_TYPES,
  }
  return page('keys', told, PATH)
}

/** After a wrong code the page asks for it again. */
function proving({ form }: Visit<'merchant'>): Proving | null {
  const id = form.get('auth_code_id')
  if (!id) return null
  const provider = form.get('provider_uuid') ?? undefined
  return { auth_code_id: id, type: form.get('type') ?? '', address: form.get('address') ?? '', provider }
}
