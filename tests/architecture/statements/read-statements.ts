/**
 * Reads the named statements of the PostgreSQL store from its sources: the name, and every piece of SQL that can become part
 * of its text. Constants and functions that a text is made of are followed, also into other files.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'

export interface StatementText {
  readonly name: string
  readonly text: string
}

type Scope = ReadonlyMap<string, ts.Node>

export function readStatements(folder: string): readonly StatementText[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
    .map((file) => join(folder, file))
  const scopes = new Map<string, Scope>()
  const open = (file: string): ts.SourceFile =>
    ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)

  function scopeOf(file: string): Scope {
    const known = scopes.get(file)
    if (known !== undefined) return known
    const scope = new Map<string, ts.Node>()
    scopes.set(file, scope)
    for (const node of open(file).statements) declare(node, file, scope)
    return scope
  }

  function declare(node: ts.Statement, file: string, scope: Map<string, ts.Node>): void {
    if (ts.isVariableStatement(node)) {
      for (const { name, initializer } of node.declarationList.declarations) {
        if (ts.isIdentifier(name) && initializer !== undefined) scope.set(name.text, initializer)
      }
    }
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) scope.set(node.name.text, node)
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return
    const bindings = node.importClause?.namedBindings
    if (bindings === undefined || !ts.isNamedImports(bindings) || !node.moduleSpecifier.text.startsWith('.')) return
    const there = scopeOf(resolve(dirname(file), node.moduleSpecifier.text))
    for (const { name, propertyName } of bindings.elements) {
      const found = there.get((propertyName ?? name).text)
      if (found !== undefined) scope.set(name.text, found)
    }
  }

  /** All string pieces below a node, and below what it names. */
  function collect(node: ts.Node, seen: Set<ts.Node>): string {
    if (seen.has(node)) return ''
    seen.add(node)
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) return node.text
    if (ts.isIdentifier(node)) {
      const named = scopeOf(node.getSourceFile().fileName).get(node.text)
      return named === undefined ? '' : collect(named, seen)
    }
    const pieces: string[] = []
    ts.forEachChild(node, (child) => void pieces.push(collect(child, seen)))
    return pieces.join(' ')
  }

  const found: StatementText[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const fields = new Map(
        node.properties.flatMap((field) => (field.name === undefined ? [] : [[field.name.getText(), field] as const])),
      )
      const [name, text] = [fields.get('name'), fields.get('text')]
      if (name !== undefined && text !== undefined && ts.isPropertyAssignment(name)) {
        const isNamed = ts.isStringLiteral(name.initializer)
        if (isNamed) found.push({ name: name.initializer.text, text: collect(text, new Set()) })
      }
    }
    ts.forEachChild(node, visit)
  }
  for (const file of files) {
    scopeOf(file)
    visit(open(file))
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
