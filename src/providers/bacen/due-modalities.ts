import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  type DueDiscount,
  type DueInterest,
  type DueTerms,
  type FixedOrPercentage,
  getAmountNumber,
  type InterestPeriod,
  type ValueType,
} from '../../domain/charges/due-terms.ts'
import { hundredthsSchema, hundredthsTextSchema } from './schemas.ts'

/**
 * Numbers of the modalities of a charge with a due date (pix-api 2.9.0, CobVValor), in both directions: terms are written by this table,
 * and what a provider shows is read by it. An amount of interest is one per day.
 */
export const BACEN_MODALITIES = {
  multa: { FIXED: 1, PERCENTAGE: 2 },
  juros: {
    FIXED_DAY_CALENDAR: 1,
    PERCENTAGE_DAY_CALENDAR: 2,
    PERCENTAGE_MONTH_CALENDAR: 3,
    PERCENTAGE_YEAR_CALENDAR: 4,
    FIXED_DAY_BUSINESS: 5,
    PERCENTAGE_DAY_BUSINESS: 6,
    PERCENTAGE_MONTH_BUSINESS: 7,
    PERCENTAGE_YEAR_BUSINESS: 8,
  },
  abatimento: { FIXED: 1, PERCENTAGE: 2 },
  desconto: {
    FIXED_UNTIL: 1,
    PERCENTAGE_UNTIL: 2,
    FIXED_PER_DAY_CALENDAR: 3,
    FIXED_PER_DAY_BUSINESS: 4,
    PERCENTAGE_PER_DAY_CALENDAR: 5,
    PERCENTAGE_PER_DAY_BUSINESS: 6,
  },
} as const

type Member = keyof typeof BACEN_MODALITIES
const MEMBERS = Object.keys(BACEN_MODALITIES) as Member[]

/** A member of `valor` as it is sent: centavos, or hundredths of a percent, as a text with two decimals. */
type WrittenMember = {
  modalidade: number
  valorPerc?: string
  descontoDataFixa?: { data: string; valorPerc: string }[]
}
export type WrittenMembers = Partial<Record<Member, WrittenMember>>

/** Builds the members of `valor` that the terms have; undefined where the API has no modality for one of them. */
export function writeDueMembers({
  fine,
  interest,
  abatement,
  discount,
}: DueTerms): WrittenMembers | undefined {
  const written: Record<Member, WrittenMember | null | undefined> = {
    multa: fine && writeValue('multa', fine.type, fine),
    juros: interest && writeValue('juros', `${interest.type}_${interest.per}_${interest.days}`, interest),
    abatimento: abatement && writeValue('abatimento', abatement.type, abatement),
    desconto: discount && writeDiscount(discount),
  }
  const members = Object.entries(written).filter(([, member]) => member !== null)
  return members.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(members)
}

function writeValue(member: Member, mode: string, value: FixedOrPercentage): WrittenMember | undefined {
  const modalidade = findNumber(member, mode)
  return modalidade === undefined ? undefined : { modalidade, valorPerc: writeHundredths(value) }
}

function writeDiscount(discount: DueDiscount): WrittenMember | undefined {
  if (discount.kind === 'per_day')
    return writeValue('desconto', `${discount.rate.type}_PER_DAY_${discount.days}`, discount.rate)
  const [type, ...otherTypes] = new Set(discount.steps.map(step => step.type))
  const modalidade = otherTypes.length > 0 ? undefined : findNumber('desconto', `${type}_UNTIL`)
  const descontoDataFixa = sortSteps(discount.steps).map(step => ({
    data: step.on,
    valorPerc: writeHundredths(step),
  }))
  return modalidade === undefined ? undefined : { modalidade, descontoDataFixa }
}

function writeHundredths(value: FixedOrPercentage): string {
  return hundredthsTextSchema.parse(getAmountNumber(value))
}

function findNumber(member: Member, mode: string): number | undefined {
  return (BACEN_MODALITIES[member] as Record<string, number>)[mode]
}

/** Members that replace those of `shown` which the new terms no longer have: nothing of each, because the API has no way to remove one. */
export function writeRemovedMembers(shown: ShownMembers, written: WrittenMembers): WrittenMembers {
  const removed = MEMBERS.filter(member => shown[member] && !written[member])
  const nothing = { modalidade: 1, valorPerc: '0.00' }
  // Modality 1 of a discount has days.
  const nothingPerDay = { ...nothing, modalidade: BACEN_MODALITIES.desconto.FIXED_PER_DAY_CALENDAR }
  return Object.fromEntries(removed.map(member => [member, member === 'desconto' ? nothingPerDay : nothing]))
}

/** A member of `valor` as a provider shows it. Inter's document has the modality of a discount as a text. */
const shownMemberSchema = z.object({
  modalidade: z.coerce.number(),
  valorPerc: hundredthsSchema.nullish(),
  descontoDataFixa: z.array(z.object({ data: z.iso.date(), valorPerc: hundredthsSchema })).nullish(),
})
type ShownMember = z.infer<typeof shownMemberSchema>
/** A member that is nothing counts as absent; `unreadable`: it is none that the API documents. */
const optionalMemberSchema = z
  .unknown()
  .optional()
  .transform(value => {
    if (value === null || value === undefined) return null
    const { data } = shownMemberSchema.safeParse(value)
    if (!data) return 'unreadable' as const
    return data.valorPerc || data.descontoDataFixa?.length ? data : null
  })
export const shownMembersSchema = z.object({
  multa: optionalMemberSchema,
  juros: optionalMemberSchema,
  abatimento: optionalMemberSchema,
  desconto: optionalMemberSchema,
})
export type ShownMembers = z.infer<typeof shownMembersSchema>

/** The members of terms; `null` where a charge has none, `undefined` where a provider shows one that this table does not have. */
export type ShownTerms = {
  [Name in 'fine' | 'interest' | 'abatement' | 'discount']: DueTerms[Name] | undefined
}

/** Reads the terms that a provider shows. */
export function readDueMembers({ multa, juros, abatimento, desconto }: ShownMembers): ShownTerms {
  return {
    fine: readMember('multa', multa, readValue),
    interest: readMember('juros', juros, readInterest),
    abatement: readMember('abatimento', abatimento, readValue),
    discount: readMember('desconto', desconto, readDiscount),
  }
}

function readMember<T>(
  member: Member,
  shown: ShownMembers[Member],
  read: (mode: string, shown: ShownMember) => T | undefined,
): T | null | undefined {
  if (shown === null) return null
  if (shown === 'unreadable') return undefined
  const entry = Object.entries(BACEN_MODALITIES[member]).find(([, number]) => number === shown.modalidade)
  return entry && read(entry[0], shown)
}

function readValue(
  mode: string,
  { valorPerc }: Pick<ShownMember, 'valorPerc'>,
): FixedOrPercentage | undefined {
  const type = mode.split('_')[0] as ValueType
  if (!valorPerc) return undefined
  return type === 'FIXED' ? { type, cents: valorPerc } : { type, basisPoints: valorPerc }
}

function readInterest(mode: string, shown: ShownMember): DueInterest | undefined {
  const [, per, days] = mode.split('_') as [ValueType, InterestPeriod, DueInterest['days']]
  const value = readValue(mode, shown)
  return value && { ...value, per, days }
}

function readDiscount(mode: string, shown: ShownMember): DueDiscount | undefined {
  if (!mode.endsWith('_UNTIL')) {
    const rate = readValue(mode, shown)
    return rate && { kind: 'per_day', rate, days: mode.endsWith('_BUSINESS') ? 'BUSINESS' : 'CALENDAR' }
  }
  const steps = (shown.descontoDataFixa ?? []).flatMap(({ data: on, valorPerc }) => {
    const value = readValue(mode, { valorPerc })
    return value ? [{ ...value, on }] : []
  })
  return steps.length > 0 ? { kind: 'until', steps: sortSteps(steps) } : undefined
}

/** Sorts the days of a discount; their order says nothing. */
function sortSteps<Step extends { on: string }>(steps: Step[]): Step[] {
  return steps.toSorted((a, b) => (a.on < b.on ? -1 : 1))
}

const TERM_NAMES = ['fine', 'interest', 'abatement', 'discount'] as const

/** Lists the members of terms by which what a provider shows differs from what was ordered. */
export function listDifferentMembers(ordered: DueTerms, shown: ShownTerms): (keyof ShownTerms)[] {
  const normalized = {
    ...ordered,
    discount:
      ordered.discount?.kind === 'until'
        ? { ...ordered.discount, steps: sortSteps(ordered.discount.steps) }
        : ordered.discount,
  }
  return TERM_NAMES.filter(name => !isDeepStrictEqual(normalized[name], shown[name]))
}
