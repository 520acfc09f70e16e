// A repository of which every kind of page of code shows something.
async function makeCode(project, api) {
  const text = { branch: 'main', author_email: 'mira@example.com', author_name: 'Mira Lindqvist' };
  const create = (file_path, content, more = {}) => ({ action: 'create', file_path, content, ...more });
  const lines = Array.from({ length: 300 }, (_, n) => `pub const LINE_${n}: u32 = ${n}; // heat ${n * 7}`);
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPYWqVAEmIY1TCqYfhqAACuH08QBP1TdQAAAABJRU5ErkJggg==';
  await api('POST', `${project}/repository/commits`, {
    ...text,
    commit_message: 'Begin the forge',
    actions: [
      create('README.md', '# Anvil\n\nDrop-forged. See the [guide](docs/guide.md).\n\n![A plate](docs/plate.png)\n'),
      create('docs/guide.md', '# Guide\n\n1. Heat the iron\n2. Strike\n'),
      create('docs/plate.png', dot, { encoding: 'base64' }),
      create('src/main.rs', `//! Heats iron.\n\nfn main() {\n    println!("{}", heat(1600));\n}\n\nfn heat(degrees: u32) -> String {\n    // Not yet hot enough\n    format!("{degrees} degrees")\n}\n`),
      create('src/lines.rs', `${lines.join('\n')}\n`),
      create('docs/plate.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#b57a20"/></svg>\n'),
      create('mould.bin', 'AAECAwQFBgc=', { encoding: 'base64' }),
    ],
  });
  await api('POST', `${project}/repository/commits`, {
    ...text,
    author_name: 'Priya Nair',
    commit_message: 'Strike harder\n\nIt was too soft.',
    actions: [{ action: 'update', file_path: 'docs/guide.md', content: '# Guide\n\n1. Heat the iron\n2. Strike **hard**\n' }],
  });
  await api('POST', `${project}/repository/commits`, {
    ...text,
    branch: 'cooling',
    start_branch: 'main',
    commit_message: 'Cool slowly\n\nWhat is cooled at once cracks.',
    actions: [
      { action: 'update', file_path: 'src/main.rs', content: `//! Heats iron, and cools it.\n\nfn main() {\n    println!("{}", heat(1600));\n    println!("{}", cool(1600, 20));\n}\n\nfn heat(degrees: u32) -> String {\n    // Hot enough\n    format!("{degrees} degrees")\n}\n\nfn cool(from: u32, to: u32) -> String {\n    format!("from {from} to {to}")\n}\n` },
      create('docs/cooling.md', '# Cooling\n\nSlowly.\n'),
      { action: 'delete', file_path: 'mould.bin' },
    ],
  });
  await api('POST', `${project}/repository/tags?tag_name=v1.0&ref=main`);
}

module.exports = { makeCode };
