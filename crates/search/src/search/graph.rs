//! Strongly connected components.

/// The number of a state that is not visited.
const NEW: u32 = u32::MAX;

/// The strongly connected components of a graph with `count` states. Returns the component of each state; a component
/// has a larger number than the components that it leads to. (Tarjan's algorithm, without recursion.)
pub(crate) fn components(count: usize, mut next: impl FnMut(u32, &mut Vec<u32>)) -> Vec<u32> {
    let mut order = vec![NEW; count];
    let mut low = vec![0_u32; count];
    let mut component = vec![NEW; count];
    let mut stack: Vec<u32> = Vec::new();
    // The states on the current path, each with the start of its remaining successors in `open`.
    let mut path: Vec<(u32, usize)> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let (mut visited, mut found) = (0_u32, 0_u32);
    let at = |list: &[u32], state: u32| list.get(state as usize).copied().unwrap_or(0);
    let set = |list: &mut [u32], state: u32, value: u32| {
        if let Some(entry) = list.get_mut(state as usize) {
            *entry = value;
        }
    };
    for root in 0..u32::try_from(count).unwrap_or(NEW) {
        if at(&order, root) != NEW {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(state) = enter.take() {
                set(&mut order, state, visited);
                set(&mut low, state, visited);
                visited += 1;
                stack.push(state);
                path.push((state, open.len()));
                next(state, &mut open);
            }
            let Some((state, start)) = path.last().copied() else {
                break;
            };
            if open.len() > start {
                let Some(to) = open.pop() else { break };
                if at(&order, to) == NEW {
                    enter = Some(to);
                } else if at(&component, to) == NEW {
                    let least = at(&low, state).min(at(&order, to));
                    set(&mut low, state, least);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let least = at(&low, *parent).min(at(&low, state));
                set(&mut low, *parent, least);
            }
            if at(&low, state) == at(&order, state) {
                while let Some(member) = stack.pop() {
                    set(&mut component, member, found);
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_the_cycles_of_a_graph() {
        let edges: [&[u32]; 6] = [&[1], &[2], &[0, 3], &[4], &[3, 5], &[]];
        let found = components(6, |state, open| open.extend(edges[state as usize]));
        assert_eq!(found, [2, 2, 2, 1, 1, 0]);
    }
}
