import { buffer } from 'node:stream/consumers'
import type { SettlementFigure } from '../../domain/ledger/movement.ts'
import { toPdfText } from '../../domain/shared/pdf-text.ts'
import type { Language } from '../i18n/translator.ts'

/** A line of a table: its name, then an amount for each column, as the page shows them. */
type PdfRow = { name: string; amounts: string[]; isTotal?: boolean }
type PdfTable = { title: string; rows: PdfRow[] }

/** What the document of a settlement report says, in the words of its language. */
export type SettlementPdf = {
  language: Language
  title: string
  /** Lines below the title: whose report it is, of which days, and what is not money. */
  lines: string[]
  /** Headings of the columns, the first that of the names. */
  headings: string[]
  tables: PdfTable[]
  /** Names a page by its number. */
  namePage(page: number, last: number): string
  /** Moment of the document: the end of a period that is over, so that its document is the same whenever it is made. */
  createdAt: Date
}

/** A table with what makes it readable by a screen reader, which the types of pdfkit lack. */
type TaggedTable = PDFKit.Mixins.TableOptionsWithData & {
  structParent: PDFKit.PDFStructureElement
  data: (string | (PDFKit.Mixins.CellOptions & { scope?: 'Column' | 'Row' }))[][]
}

const MARGIN = 36
/** Width of the column of names, in points; the amounts share the rest. */
const NAME_WIDTH = 150
const RULE_COLOR = '#b8b8b8'
const TEXT_SIZE = 8
/** So that 31 days, their headings and their total are on one page, below the title too. */
const ROW_HEIGHT = 12.5

/** Renders a settlement report as a tagged PDF on A4 landscape, a table per page after the first. Equal reports give equal bytes. */
export async function renderSettlementPdf(report: SettlementPdf): Promise<Buffer> {
  // Loaded by the first document: it takes 30 MB of memory.
  const { default: PDFDocument } = await import('pdfkit')
  const pdf = new PDFDocument({
    size: 'A4',
    layout: 'landscape',
    margin: MARGIN,
    pdfVersion: '1.7',
    lang: report.language,
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    font: 'Helvetica',
    info: { Title: toPdfText(report.title), CreationDate: report.createdAt },
  })
  const document = pdf.struct('Document')
  pdf.addStructure(document)
  const write = (tag: string, text: string, font: { bold?: boolean; size: number }) =>
    document.add(
      pdf.struct(tag, {}, () => {
        pdf.font(font.bold ? 'Helvetica-Bold' : 'Helvetica', font.size).text(toPdfText(text))
      }),
    )
  write('H1', report.title, { bold: true, size: 16 })
  pdf.moveDown(0.3)
  for (const line of report.lines) write('P', line, { size: 9 })
  for (const [index, { title, rows }] of report.tables.entries()) {
    if (index > 0) pdf.addPage()
    else pdf.moveDown()
    write('H2', title, { bold: true, size: 11 })
    pdf.moveDown(0.4).font('Helvetica', TEXT_SIZE)
    const table: TaggedTable = {
      structParent: document,
      columnStyles: column =>
        column === 0
          ? { width: NAME_WIDTH, align: { x: 'left', y: 'center' } }
          : { width: '*', align: { x: 'right', y: 'center' } },
      rowStyles: row => ({
        border: [0, 0, 0.5, 0],
        borderColor: RULE_COLOR,
        padding: [0, 2],
        minHeight: ROW_HEIGHT,
        ...((row === 0 || rows[row - 1]?.isTotal) && { font: { src: 'Helvetica-Bold', size: TEXT_SIZE } }),
      }),
      data: [
        report.headings.map(text => ({ text: toPdfText(text), type: 'TH', scope: 'Column' })),
        ...rows.map(({ name, amounts }) => [
          { text: toPdfText(name), type: 'TH' as const, scope: 'Row' as const },
          ...amounts.map(toPdfText),
        ]),
      ],
    }
    pdf.table(table)
  }
  document.end()
  numberPages(pdf, report.namePage)
  pdf.end()
  return buffer(pdf)
}

/** Writes the number of each page at its foot, below the margin, as an artifact that a screen reader leaves out. */
function numberPages(pdf: PDFKit.PDFDocument, namePage: SettlementPdf['namePage']): void {
  const { count } = pdf.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page)
    pdf.page.margins.bottom = 0
    pdf.markContent('Artifact', { type: 'Pagination', attached: ['Bottom'] })
    pdf
      .font('Helvetica', TEXT_SIZE)
      .text(toPdfText(namePage(page + 1, count)), MARGIN, pdf.page.height - 26, {
        width: pdf.page.width - 2 * MARGIN,
        align: 'right',
        lineBreak: false,
      })
    pdf.endMarkedContent()
  }
}

/** Columns of amounts in the order of a row: the opening balance, each figure, the closing balance. */
export function listPdfAmounts(
  row: { openingCents: number; figures: Record<SettlementFigure, number>; closingCents: number },
  figures: readonly SettlementFigure[],
  format: (cents: number) => string,
): string[] {
  const amounts = figures.map(figure => (row.figures[figure] === 0 ? '–' : format(row.figures[figure])))
  return [format(row.openingCents), ...amounts, format(row.closingCents)]
}
