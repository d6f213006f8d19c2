import { describe, expect, it } from 'vitest';
import { formatOperatorFile, parseOperatorFile } from './operator-file.ts';

describe('operator.json', () => {
  it('keeps members that it does not know', () => {
    const text = formatOperatorFile({
      projectName: 'a',
      resources: [],
      kubernetesVersion: '1.35',
      mine: { deep: [1] },
    });
    expect(formatOperatorFile(parseOperatorFile(text))).toBe(text);
  });

  it('has no resources and namespaced ones by default', () => {
    expect(parseOperatorFile('{"projectName":"a"}').resources).toEqual([]);
    const [resource] = parseOperatorFile(
      '{"projectName":"a","resources":[{"group":"e.com","version":"v1","kind":"W","plural":"ws"}]}',
    ).resources;
    expect(resource).toMatchObject({ scope: 'Namespaced', controller: true });
  });

  it.each(['{', '', '[]', 'null', '<<<<<<< ours'])(
    'says what to do about a file that is no JSON object: %j',
    (text) => {
      expect(() => parseOperatorFile(text)).toThrow(
        expect.objectContaining({ hint: 'mend it, or take it from your version control' }),
      );
    },
  );

  it.each([
    ['{', /operator\.json/],
    ['[]', /no JSON object/],
    ['{}', /projectName/],
    ['{"projectName":"a","resources":{}}', /resources/],
    ['{"projectName":"a","resources":[null]}', /resources\[0\]/],
    ['{"projectName":"a","resources":[{"group":"e.com"}]}', /version is missing/],
    ['{"projectName":"a","resources":[{"group":"e","version":"v1","kind":"W","plural":"ws","scope":"x"}]}', /scope/],
  ])('refuses %s', (text, message) => {
    expect(() => parseOperatorFile(text)).toThrow(message);
  });
});
