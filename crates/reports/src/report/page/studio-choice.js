// A field with suggestions: typing filters them, arrow keys select, Enter accepts.
'use strict';

/** Creates a field for text. */
function textField(options) { return el('input', { type: 'text', spellcheck: 'false', ...options }); }

let choices = 0;

/**
 * A field with suggestions. `groups` returns `[{title, names, about}]` each time the list opens; `take` receives the selected name.
 * Text that is not a suggestion stays in the field.
 */
function choice({ id, label, hint, title, groups, take }) {
  choices += 1;
  const list = el('ul.choices', { role: 'listbox', id: `choices-${choices}`, 'aria-label': label, hidden: true });
  const field = textField({
    id, role: 'combobox', autocomplete: 'off', placeholder: hint, title,
    'aria-label': label, 'aria-expanded': 'false', 'aria-controls': list.id, 'aria-autocomplete': 'list',
  });
  // No container of the field must clip the list.
  document.querySelector('.studio').append(list);
  let shownOnes = [];
  let at = -1;
  // Text that the program set does not filter.
  let settled = '';
  const close = () => {
    list.hidden = true;
    field.setAttribute('aria-expanded', 'false');
    field.removeAttribute('aria-activedescendant');
    at = -1;
  };
  const mark = to => {
    shownOnes[at]?.setAttribute('aria-selected', 'false');
    at = to;
    const one = shownOnes[at];
    if (!one) return field.removeAttribute('aria-activedescendant');
    one.setAttribute('aria-selected', 'true');
    field.setAttribute('aria-activedescendant', one.id);
    return one.scrollIntoView({ block: 'nearest' });
  };
  const chosen = name => {
    settled = name;
    field.value = name;
    close();
    take(name);
  };
  /** Each typed word must be part of the name. */
  const isWanted = (name, words) => words.every(word => name.toLowerCase().includes(word));
  const open = all => {
    const wanted = all || field.value === settled ? '' : field.value.trim().toLowerCase();
    const words = wanted.split(/\s+/);
    shownOnes = [];
    list.replaceChildren(...groups().flatMap(group => {
      const names = group.names.filter(name => isWanted(name, words));
      if (!names.length) return [];
      return [el('li.group', { role: 'presentation' }, group.title), ...names.map(name => {
        const one = el('li', { role: 'option', id: `${list.id}-${shownOnes.length}`, 'aria-selected': 'false', class: `mono${name === settled ? ' settled' : ''}`, on: { mousedown: event => { event.preventDefault(); chosen(name); } }, title: name }, name);
        one.dataset.name = name;
        shownOnes.push(one);
        return one;
      })];
    }));
    at = -1;
    list.hidden = !shownOnes.length;
    field.setAttribute('aria-expanded', !list.hidden);
    if (!list.hidden) put();
    list.querySelector('.settled')?.scrollIntoView({ block: 'nearest' });
  };
  /** Places the list below the field, or above it if there is more space, so that no scroll container clips it. */
  const put = () => {
    const { left, top, bottom, width } = field.getBoundingClientRect();
    const isAbove = innerHeight - bottom < 240 && top > innerHeight - bottom;
    list.style.minWidth = `${Math.max(width, 200)}px`;
    list.style.left = `${Math.max(4, Math.min(left, innerWidth - list.offsetWidth - 4))}px`;
    list.style.maxHeight = `${Math.min(420, (isAbove ? top : innerHeight - bottom) - 12)}px`;
    list.style.top = isAbove ? 'auto' : `${bottom + 4}px`;
    list.style.bottom = isAbove ? `${innerHeight - top + 4}px` : 'auto';
  };
  field.addEventListener('input', () => open(false));
  field.addEventListener('click', () => { if (list.hidden) open(true); });
  field.addEventListener('focus', () => field.select());
  field.addEventListener('blur', close);
  field.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.hidden) open(!field.value);
      const count = shownOnes.length;
      if (count) mark(at < 0 ? (event.key === 'ArrowDown' ? 0 : count - 1) : (at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === 'Enter' && !list.hidden) {
      const one = shownOnes[at] || (field.value && shownOnes.length === 1 ? shownOnes[0] : null);
      if (!one) return close();
      event.preventDefault();
      event.stopPropagation();
      chosen(one.dataset.name);
    }
    return undefined;
  });
  const settle = name => {
    settled = name;
    field.value = name;
  };
  return { field, settle, box: el('span.choice', field) };
}
