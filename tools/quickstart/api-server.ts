import { command, say, show } from './screen.ts';
import { eventually, type Session } from './session.ts';

/** Starts `create-operator apiserver`, which writes the administrator's kubeconfig, and waits until it is ready. */
export async function startApiServer(session: Session, createOperator: string, kubeconfig: string): Promise<void> {
  command('npx create-operator', ['apiserver', '--kubeconfig', `..${kubeconfig.slice(session.folder.length)}`]);
  const started = performance.now();
  const lines: string[] = [];
  const server = session.start(createOperator, ['apiserver', '--kubeconfig', kubeconfig], {
    line: (line) => lines.push(line),
  });
  let ending: string | undefined;
  void server.ended.then((how) => (ending = how));
  const ready = await eventually('the API server', session.signal, () => {
    if (ending !== undefined) throw new Error(`the API server ended with ${ending}\n${lines.join('\n')}`);
    return lines.find((line) => line.startsWith('API server ready'));
  });
  show(ready.replace(/ \(KUBECONFIG=.*/, ''));
  say(`after ${Math.round(performance.now() - started)} ms, the start of Node.js included`);
}
