import { replaceDefaultProviders } from '../../api/providers/defaults.ts'
import { defaultProviders, listProviders } from '../../api/providers/find.ts'
import { replaceDefaults } from '../../wire/provider.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'

const PATH = '/dashboard/providers'

export function providerPages({ get, post }: Door): void {
  get('merchant', PATH, providers)

  post('merchant', `${PATH}/order`, {
    async act({ em, token, form }) {
      const order = reordered(form.getAll('order'), form.get('move') ?? '')
      const asked = required(replaceDefaults, { payment_type: 'PIX', provider_uuids: order })
      await replaceDefaultProviders(em, token, asked.provider_uuids)
      return elsewhere(PATH, 'order_replaced')
    },
    again: providers,
  })
}

async function providers({ em, token }: Visit<'merchant'>) {
  const { data } = await listProviders(em.fork(), token, { page: 1, per_page: 100 })
  const order = (await defaultProviders(em.fork(), token)).map(({ uuid }) => uuid)
  const byUuid = new Map(data.map(provider => [provider.uuid, provider]))
  return page(
    'providers',
    {
      preferred: order.flatMap(uuid => byUuid.get(uuid) ?? []),
      others: data.filter(({ uuid }) => !order.includes(uuid)),
      order,
    },
    PATH,
  )
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
