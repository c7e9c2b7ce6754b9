import { z } from 'zod'
import { listTokens } from '../../admin/tokens.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { type ListedApiRequest, listApiRequests } from '../../db/repositories/api-requests.ts'
import { validateFormFields } from '../http/form.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'

const PATH = '/dashboard/requests'
const ROWS_OF_PAGE = 50
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** First digits of the statuses. */
const STATUS_CLASSES = ['2', '3', '4', '5'] as const

const filterSchema = z.object({
  token_uuid: uuidSchema.optional(),
  status: z.enum(STATUS_CLASSES).optional(),
  method: z.enum(METHODS).optional(),
  path: z.string().trim().max(200).optional(),
  request_id: z.string().trim().max(128).optional(),
  /** Cursor: the time of the last row of the page before, in microseconds. */
  before: z
    .string()
    .regex(/^\d{1,16}$/)
    .optional(),
})

/** Pages of the objects that a path names, by the noun of the API. */
const OBJECT_PAGES: Record<string, string> = {
  payments: 'charges',
  transfers: 'transfers',
  meds: 'disputes',
  webhooks: 'webhooks',
  events: 'events',
}

/** Registers the page of the requests that the account's tokens made in the last seven days. */
export function registerApiRequestPage({ get }: DashboardRouter): void {
  get('tokens.read', PATH, async ({ em, token, query }) => {
    const { accountUuid } = token
    const filterFields = Object.entries(query).filter(([name]) => Object.hasOwn(filterSchema.shape, name))
    const result = validateFormFields(filterSchema, Object.fromEntries(filterFields))
    const filter = result.kind === 'valid' ? result.value : null
    const [tokens, requests] = await Promise.all([
      listTokens(em.fork(), accountUuid),
      filter &&
        listApiRequests(em.fork(), {
          accountUuid,
          tokenUuid: filter.token_uuid,
          statusClass: filter.status === undefined ? undefined : Number(filter.status),
          method: filter.method,
          path: filter.path,
          requestId: filter.request_id,
          beforeUs: filter.before === undefined ? undefined : Number(filter.before),
          limit: ROWS_OF_PAGE + 1,
        }),
    ])
    const rows = requests?.slice(0, ROWS_OF_PAGE) ?? []
    return createPage('requests', {
      rows: rows.map(row => ({ ...row, href: hrefOfObject(row) })),
      tokens: tokens.map(({ uuid, name, prefix }) => ({ uuid, name, prefix })),
      methods: METHODS,
      classes: STATUS_CLASSES,
      next: requests && requests.length > ROWS_OF_PAGE ? String(rows.at(-1)?.atUs) : null,
      isFirst: filter?.before === undefined,
      wrong: result.kind === 'invalid' ? result.errors : {},
    })
  })
}

/** Returns the page of the object that a path names. */
function hrefOfObject({ path }: ListedApiRequest): string | null {
  const [, noun = '', uuid] = /^\/api\/v1\/([a-z-]+)\/([\da-f-]{36})(?:\/|$)/.exec(path ?? '') ?? []
  const page = OBJECT_PAGES[noun]
  return page && uuid ? `/dashboard/${page}/${uuid}` : null
}
