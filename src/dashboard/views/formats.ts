import type { Fee } from '../../domain/ledger/money.ts'
import { DEFAULT_TIME_ZONE, placeOfTimeZone } from '../../domain/shared/time-zone.ts'
import { html, type Markup } from '../../views/markup.ts'
import type { Language } from '../i18n/translator.ts'

export type Formats = ReturnType<typeof createFormats>

/** Kept by language and zone, because making them costs a hundred times what formatting does. */
const FORMATS = new Map<string, Formats>()

/** Returns the formats of a language, with times by the clocks of a time zone. */
export function getFormats(language: Language, timeZone: string = DEFAULT_TIME_ZONE): Formats {
  const key = `${language} ${timeZone}`
  const cachedFormats = FORMATS.get(key)
  if (cachedFormats) return cachedFormats
  const formats = createFormats(language, timeZone)
  FORMATS.set(key, formats)
  return formats
}

function createFormats(language: Language, timeZone: string) {
  const locale = language === 'en' ? 'en-GB' : language
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'BRL' })
  const reais = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const roundMoney = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'BRL',
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  })
  const number = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const exactPercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  /** With a minus sign as wide as a plus. */
  const formatMoney = (cents: number) => money.format(cents / 100).replace('-', '−')
  const dayFields = { day: '2-digit', month: '2-digit' } as const
  const timeFields = { ...dayFields, hour: '2-digit', minute: '2-digit', timeZone } as const
  const short = new Intl.DateTimeFormat(locale, timeFields)
  const dated = new Intl.DateTimeFormat(locale, { ...timeFields, year: 'numeric' })
  const moment = new Intl.DateTimeFormat(locale, { ...timeFields, year: 'numeric', second: '2-digit' })
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone })
  const day = new Intl.DateTimeFormat(locale, { ...dayFields, timeZone: 'UTC' })
  const date = new Intl.DateTimeFormat(locale, { ...dayFields, year: 'numeric', timeZone: 'UTC' })
  const alternatives = new Intl.ListFormat(locale, { type: 'disjunction' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone })
  const formatYear = (at: Date | string) => year.format(new Date(at))
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' })
  const relativeNow = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'long' })

  return {
    timeZone,
    /** Names the time zone, with its present offset: `Brasília (GMT-3)`. */
    zoneName: () => {
      const [present] = offset.formatToParts().filter(({ type }) => type === 'timeZoneName')
      return timeZone === 'UTC' ? timeZone : `${placeOfTimeZone(timeZone)} (${present?.value})`
    },
    /** Names the place of a time zone: `Brasília`. */
    place: placeOfTimeZone,
    money: formatMoney,
    /** Formats an amount without its currency, for a table that names it once. */
    reais: (cents: number) => reais.format(cents / 100).replace('-', '−'),
    /** Formats a fee as `R$ 0,10 + 0,99%`, without the part that is zero. */
    fee({ fixedCents, hundredthsOfPercent }: Fee): string {
      const parts = [
        ...(fixedCents > 0 || hundredthsOfPercent === 0 ? [formatMoney(fixedCents)] : []),
        ...(hundredthsOfPercent > 0 ? [exactPercent.format(hundredthsOfPercent / 10_000)] : []),
      ]
      return parts.join(' + ')
    },
    /** Axis labels: whole reais, thousands shortened. */
    roundMoney: (cents: number) => roundMoney.format(cents / 100),
    number: (value: number) => number.format(value),
    percent: (share: number) => percent.format(share),
    /** Renders a time, with the exact UTC time in the markup. */
    time: (at: Date | string): Markup => renderTime(at, moment),
    /** Formats a time as plain text, without seconds. */
    plainTime: (at: Date | string) => dated.format(new Date(at)),
    /** Formats a time of the last hours as `09:14`. */
    plainHour: (at: Date | string) => clock.format(new Date(at)),
    /** Renders a time without seconds, and without the year in the current year. */
    shortTime: (at: Date | string, now: Date = new Date()): Markup =>
      renderTime(at, formatYear(at) === formatYear(now) ? short : dated),
    /** Renders the hour and the minute of a time, below the heading of its day. */
    hour: (at: Date | string): Markup => renderTime(at, clock),
    /** Formats a day `YYYY-MM-DD` as `21/11`. */
    day: (text: string) => day.format(new Date(`${text}T00:00:00Z`)),
    /** Formats a day `YYYY-MM-DD` as `21/11/2026`. */
    date: (text: string) => date.format(new Date(`${text}T00:00:00Z`)),
    /** Formats a month `YYYY-MM` as `novembro de 2026`. */
    month: (text: string) => month.format(new Date(`${text}-01T00:00:00Z`)),
    /** Names a day of the week, from 1 for Monday to 7. */
    weekday: (number: number) => weekday.format(new Date(Date.UTC(2024, 0, number))),
    /** Formats how long ago or ahead a time is, in the largest unit that fits; `now` within the same second. */
    age(at: Date | string, now: Date = new Date()): string {
      const seconds = Math.round((new Date(at).getTime() - now.getTime()) / 1_000)
      if (seconds === 0) return relativeNow.format(0, 'second')
      const [unit, size] = findTimeUnit(Math.abs(seconds))
      return relative.format(Math.trunc(seconds / size), unit)
    },
    /** Formats a length of time in seconds, in the largest unit that fits. */
    span(seconds: number): string {
      const [unit, size] = findTimeUnit(seconds)
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
        Math.trunc(seconds / size),
      )
    },
    duration: (ms: number) =>
      ms < 1_000 ? `${Math.round(ms)} ms` : `${number.format(Math.round(ms / 100) / 10)} s`,
    /** Joins names as alternatives: `owner or finance`. */
    anyOf: (names: string[]) => alternatives.format(names),
    document: formatDocument,
  }
}

/** Units with their seconds, and from how many seconds on each is used: 47 hours are not a day. */
const TIME_UNITS = [
  ['day', 86_400, 172_800],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
  ['second', 1, 0],
] as const

function findTimeUnit(seconds: number) {
  return TIME_UNITS.find(([, , from]) => seconds >= from) ?? TIME_UNITS[3]
}

function renderTime(at: Date | string, format: Intl.DateTimeFormat): Markup {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${format.format(date)}</time>`
}

/**
 * Formats a document as `123.456.789-09` or `12.ABC.345/01DE-35`; anything else stays unchanged. In a file too: a spreadsheet
 * takes bare digits as a number, without their leading zeros.
 */
export function formatDocument(text: string): string {
  if (/^\d{11}$/.test(text)) return text.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4')
  if (/^[0-9A-Z]{12}\d\d$/.test(text)) return text.replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5')
  return text
}
