import type { CallerToken } from '../../api/authorization/authenticate.ts'
import { listKnownBudgets } from '../../api/operations/lookup-budgets.ts'
import { listDefaultProviders, replaceDefaultProviders } from '../../api/operations/providers.ts'
import { replaceDefaultProvidersBody } from '../../contract/providers/provider.ts'
import { findPauseReaches } from '../../db/repositories/pauses.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { listAccountModes, listConnections, restrictToOneMode } from './connections.ts'

const PATH = '/dashboard/providers'

export function registerProviderPages({ get, post }: DashboardRouter): void {
  get('money.read', PATH, renderProviders)

  post('providers.write', `${PATH}/order`, {
    async handle(visit) {
      const { em, form } = visit
      const { token } = await restrictToOneMode(visit)
      const order = reorderProviders(form.getAll('order'), form.get('move') ?? '')
      const unusable = new Set((await listConnections(em, token)).filter(isUnusable).map(({ uuid }) => uuid))
      const provider_uuids = order.filter(uuid => !unusable.has(uuid))
      const fields = parseFormFields(replaceDefaultProvidersBody, { payment_type: 'PIX', provider_uuids })
      await replaceDefaultProviders(em, token, fields.provider_uuids)
      return redirect(PATH, 'order_replaced')
    },
    async listFacts(visit) {
      const { token } = await restrictToOneMode(visit)
      return listOrderFacts(visit, (await buildProviderList(visit, token.mode)).preferred)
    },
    renderForm: renderProviders,
  })
}

async function renderProviders(visit: PageContext<'merchant'>) {
  const modes = await listAccountModes(visit)
  return createPage(
    'providers',
    { lists: await Promise.all(modes.map(mode => buildProviderList(visit, mode))) },
    PATH,
  )
}

/** Builds the provider list of a mode: the defaults in order of priority, and the others. */
async function buildProviderList(visit: PageContext<'merchant'>, mode: CallerToken['mode']) {
  const token = { ...visit.token, mode, modeScope: mode }
  const connections = await listConnections(visit.em, token)
  const budgets = await listKnownBudgets(
    visit.em.fork(),
    connections.map(({ uuid }) => uuid),
  )
  const pauses = await findPauseReaches(
    visit.em,
    connections.map(({ uuid }) => uuid),
  )
  const data = connections.map(one => ({
    ...one,
    lookupBudget: budgets.get(one.uuid) ?? null,
    pause: pauses.get(one.uuid) ?? null,
  }))
  const order = (await listDefaultProviders(visit.em.fork(), token)).map(({ uuid }) => uuid)
  const byUuid = new Map(data.map(provider => [provider.uuid, provider]))
  const preferred = order.flatMap(uuid => byUuid.get(uuid) ?? [])
  return {
    mode,
    preferred,
    version: encodeFacts(visit.language, listOrderFacts(visit, preferred)),
    others: data
      .filter(({ uuid }) => !order.includes(uuid))
      .map(one => ({ ...one, isUnusable: isUnusable(one) })),
    order,
  }
}

/** Lists what a change of the order depends on. */
function listOrderFacts(visit: PageContext<'merchant'>, preferred: ListedConnection[]): ShownFact[] {
  const { t } = visit
  const value = preferred.map(({ provider, type }) => `${t(`provider.${provider}`)} (${t(`type.${type}`)})`)
  return [{ name: 'field.order', value: value.join(', ') || '–' }]
}

type ListedConnection = Awaited<ReturnType<typeof listConnections>>[number]

/** Tests whether a connection may not be a default (SPEC §9); a change of the defaults leaves it out. */
function isUnusable({ status, is_public }: ListedConnection): boolean {
  return status !== 'ACTIVE' || !is_public
}

/** Applies `up <uuid>`, `down <uuid>`, `add <uuid>` or `remove <uuid>` to the order of defaults. */
export function reorderProviders(order: string[], move: string): string[] {
  const [direction, uuid = ''] = move.split(' ')
  const rest = order.filter(one => one !== uuid)
  const at = order.indexOf(uuid)
  switch (direction) {
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
