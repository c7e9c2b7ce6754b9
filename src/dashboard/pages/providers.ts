import type { Token } from '../../api/auth.ts'
import { replaceDefaultProviders } from '../../api/providers/defaults.ts'
import { defaultProviders } from '../../api/providers/find.ts'
import { replaceDefaults } from '../../wire/provider.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { connectionsOf } from './connections.ts'
import { modesOf, ofOneMode } from './mode.ts'

const PATH = '/dashboard/providers'

export function providerPages({ get, post }: Door): void {
  get('merchant', PATH, providers)

  post('merchant', `${PATH}/order`, {
    async act(visit) {
      const { em, form } = visit
      const { token } = await ofOneMode(visit)
      const order = reordered(form.getAll('order'), form.get('move') ?? '')
      const unusable = new Set((await connectionsOf(em, token)).filter(isUnusable).map(({ uuid }) => uuid))
      const provider_uuids = order.filter(uuid => !unusable.has(uuid))
      const asked = required(replaceDefaults, { payment_type: 'PIX', provider_uuids })
      await replaceDefaultProviders(em, token, asked.provider_uuids)
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
  const data = await connectionsOf(visit.em, token)
  const order = (await defaultProviders(visit.em.fork(), token)).map(({ uuid }) => uuid)
  const byUuid = new Map(data.map(provider => [provider.uuid, provider]))
  return {
    mode,
    preferred: order.flatMap(uuid => byUuid.get(uuid) ?? []),
    others: data
      .filter(({ uuid }) => !order.includes(uuid))
      .map(one => ({ ...one, isUnusable: isUnusable(one) })),
    order,
  }
}

type Provider = Awaited<ReturnType<typeof connectionsOf>>[number]

/** No order may name it (SPEC §9): whoever changes one leaves it out, as long as it is so. */
function isUnusable({ status, is_public }: Provider): boolean {
  return status !== 'ACTIVE' || !is_public
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
