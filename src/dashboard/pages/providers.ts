import type { Token } from '../../api/auth.ts'
import { replaceDefaultProviders } from '../../api/providers/defaults.ts'
import { defaultProviders, listProviders } from '../../api/providers/find.ts'
import { replaceDefaults } from '../../wire/provider.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { inMode, modesOf } from './mode.ts'

const PATH = '/dashboard/providers'

export function providerPages({ get, post }: Door): void {
  get('merchant', PATH, providers)

  post('merchant', `${PATH}/order`, {
    async act(visit) {
      const { em, form } = visit
      const token = await inMode(visit)
      const order = reordered(form.getAll('order'), form.get('move') ?? '')
      const asked = required(replaceDefaults, { payment_type: 'PIX', provider_uuids: order })
      await replaceDefaultProviders(em, { ...token, reaches: token.mode }, asked.provider_uuids)
      return elsewhere(PATH, 'order_replaced')
    },
    again: providers,
  })
}

async function providers(visit: Visit<'merchant'>) {
  const modes = await modesOf(visit)
  return page('providers', { lists: await Promise.all(modes.map(mode => listOf(visit, mode))) }, PATH)
}

/** Of simulators or of real providers, those in the order of priority and the others. */
async function listOf(visit: Visit<'merchant'>, mode: Token['mode']) {
  const token = { ...visit.token, mode, reaches: mode }
  const { data } = await listProviders(visit.em.fork(), token, { page: 1, per_page: 100 })
  const order = (await defaultProviders(visit.em.fork(), token)).map(({ uuid }) => uuid)
  const byUuid = new Map(data.map(provider => [provider.uuid, provider]))
  return {
    mode,
    preferred: order.flatMap(uuid => byUuid.get(uuid) ?? []),
    others: data.filter(({ uuid }) => !order.includes(uuid)),
    order,
  }
}

/** `up <uuid>`, `down <uuid>`, `add <uuid>` or `remove <uuid>`, done to an order. */
export function reordered(order: string[], move: string): string[] {
  const [how, uuid = ''] = move.split(' ')
  const rest = order.filter(one => one !== uuid)
  const at = order.indexOf(uuid)
  switch (how) {
    case 'up':
      return rest.toSpliced(Math.max(0, at - 1), 0, uuid)
    case 'down':
      return rest.toSpliced(at + 1, 0, uuid)
    case 'add':
      return [...rest, uuid]
    default:
      return rest
  }
}
