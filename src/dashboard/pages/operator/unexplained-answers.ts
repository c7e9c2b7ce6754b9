import { z } from 'zod'
import { openUnexplainedAnswer } from '../../../admin/secrets.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import {
  listUnexplainedAnswers,
  listUnexplainedNames,
  MAX_UNEXPLAINED_LISTED,
} from '../../../db/repositories/unexplained-answers.ts'
import { fail } from '../../../http/api-error.ts'
import { parseFormFields, reasonSchema } from '../../http/form.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { OPERATOR_PATH } from './operator-form.ts'

const PATH = `${OPERATOR_PATH}/answers`

const filterSchema = z.object({
  reference: z.string().max(255).optional(),
  provider: z.string().max(80).optional(),
  operation: z.string().max(80).optional(),
  kind: z.string().max(80).optional(),
  name: z.string().max(80).optional(),
})
const openFormSchema = z.object({ uuid: uuidSchema, reason: reasonSchema })

/** Registers the pages of unexplained provider answers: by name, of one name or attempt, and one with its body. */
export function registerUnexplainedAnswerPages({ get, post, dashboard }: DashboardRouter): void {
  get('operator', PATH, renderUnexplainedAnswers)
  post('operator', `${PATH}/open`, {
    async handle({ em, form, session }) {
      const fields = parseFormFields(openFormSchema, form)
      const order = { ...fields, actor: session.user.email }
      const opened = await openUnexplainedAnswer(em, dashboard.sealer, order)
      if (!opened) return fail('not_found')
      // Not named `body`: in a template that is the layout's own content, which is not escaped.
      const { body: answer, ...row } = opened
      return createPage('operator/answer', { row, answer }, PATH)
    },
    renderForm: renderUnexplainedAnswers,
  })
}

async function renderUnexplainedAnswers({ em, query }: PageContext) {
  const filter = filterSchema.safeParse(query).data ?? {}
  const isNarrowed = Object.values(filter).some(value => value !== undefined)
  const names = isNarrowed ? [] : await listUnexplainedNames(em.fork())
  const rows = isNarrowed ? await listUnexplainedAnswers(em.fork(), filter) : []
  return createPage('operator/answers', { names, rows, isNarrowed, most: MAX_UNEXPLAINED_LISTED }, PATH)
}
