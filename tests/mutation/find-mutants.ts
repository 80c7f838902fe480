/** Small bugs that could be planted in a source file: each changes one expression, and none is nested in another. */
import ts from 'typescript'

export interface Mutant {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly original: string
  readonly mutated: string
  readonly operator: string
  /** It is a statement of its own. */
  readonly isStatement: boolean
}

type Change = readonly [operator: string, mutated: string]

const SWAPPED: Readonly<Record<string, readonly [operator: string, token: string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '+'],
}

const SWAPPED_CALLS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
])

/** All of them, outermost first; those that overlap are for the caller to choose from. */
export function findMutants(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Mutant[] = []

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    const [start, end] = [node.getStart(source), node.getEnd()]
    const isStatement = ts.isExpressionStatement(node.parent ?? source)
    for (const [operator, mutated] of beginsStatement(node, start) ? [] : changesOf(node, text)) {
      const line = source.getLineAndCharacterOfPosition(start).line + 1
      found.push({ file, line, start, end, original: text.slice(start, end), mutated, operator, isStatement })
    }
    ts.forEachChild(node, visit)
  }

  visit(source)
  return found
}

/** Part of a statement that begins with it: a bracket there would be taken for a call of what stands on the line before. */
function beginsStatement(node: ts.Node, start: number): boolean {
  for (let above = node.parent; above !== undefined && above.getStart() === start; above = above.parent)
    if (ts.isExpressionStatement(above)) return above !== node.parent
  return false
}

function changesOf(node: ts.Node, text: string): readonly Change[] {
  if (ts.isBinaryExpression(node)) return changeBinary(node, text)
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [['negation', textOf(node.operand, text)]]
  if (ts.isConditionalExpression(node)) return [['condition', `${textOf(node.whenTrue, text)}`]]
  if (ts.isCallExpression(node)) return changeCall(node, text)
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [['literal', 'false']]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [['literal', 'true']]
  return []
}

function changeBinary(node: ts.BinaryExpression, text: string): readonly Change[] {
  const [left, right] = [textOf(node.left, text), textOf(node.right, text)]
  const token = node.operatorToken.getText()
  if (token === '??') return [['fallback', left]]
  const swapped = SWAPPED[token]
  // Text is added, too: what it would become is no mistake that anybody makes.
  const isText = token === '+' && /['"`]/.test(left + right)
  return swapped === undefined || isText ? [] : [[swapped[0], `${left} ${swapped[1]} ${right}`]]
}

function changeCall(node: ts.CallExpression, text: string): readonly Change[] {
  if ((node.flags & ts.NodeFlags.OptionalChain) !== 0) return []
  const changes: Change[] = []
  if (ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression
    const other = SWAPPED_CALLS.get(name.text)
    const args = text.slice(node.arguments.pos - 1, node.getEnd())
    if (other !== undefined) changes.push(['call', `${textOf(expression, text)}.${other}${args}`])
    if (name.text === 'filter') changes.push(['filter', textOf(expression, text)])
  }
  // Something is done for its effect: not doing it must be noticed. What tells people is left out.
  const isEffect = ts.isExpressionStatement(node.parent) && !/^telemetry\.|^log\(|^tell/.test(textOf(node, text))
  return isEffect ? [...changes, ['omission', 'undefined']] : changes
}

function textOf(node: ts.Node, text: string): string {
  return text.slice(node.getStart(), node.getEnd())
}
