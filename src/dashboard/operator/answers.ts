import { z } from 'zod'
import { refuse } from '../../api/errors.ts'
import { MOST_UNEXPLAINED_SHOWN, unexplainedAnswers, unexplainedNames } from '../../db/unexplained.ts'
import { openUnexplained } from '../../engine/unexplained.ts'
import { uuid } from '../../wire/common.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { page } from '../page.ts'
import { OPERATOR } from './pages.ts'

const PATH = `${OPERATOR}/answers`

const filter = z.object({
  reference: z.string().max(255).optional(),
  provider: z.string().max(80).optional(),
  operation: z.string().max(80).optional(),
  kind: z.string().max(80).optional(),
  name: z.string().max(80).optional(),
})
const opening = z.object({ uuid, reason: z.string().trim().min(3, 'must say why').max(1_000) })

/** Answers of providers that no document explains: by name, those of one name or attempt, and one with its body. */
export function answerPages({ get, post, house }: Door): void {
  get('operator', PATH, showAnswers)
  post('operator', `${PATH}/open`, {
    async act({ em, form, signedIn }) {
      const asked = required(opening, Object.fromEntries(form))
      const opened = await openUnexplained(em, house.sealer, {
        uuid: asked.uuid,
        who: signedIn.user.email,
        reason: asked.reason,
      })
      if (!opened) return refuse('not_found')
      // Not as `body`: that is the name of a layout's own content, which is not escaped.
      const { body: answer, ...row } = opened
      return page('operator/answer', { row, answer }, PATH)
    },
    again: showAnswers,
  })
}

async function showAnswers({ em, query }: Visit) {
  const wanted = filter.safeParse(query).data ?? {}
  const isNarrowed = Object.values(wanted).some(value => value !== undefined)
  const names = isNarrowed ? [] : await unexplainedNames(em.fork())
  const rows = isNarrowed ? await unexplainedAnswers(em.fork(), wanted) : []
  return page('operator/answers', { names, rows, isNarrowed, most: MOST_UNEXPLAINED_SHOWN }, PATH)
}
